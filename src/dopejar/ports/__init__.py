"""What the core needs from outside: small, typed, reading and writing apart.

Takes: values. Gives: protocols. Never: a driver's type, and never `Any`.
"""
