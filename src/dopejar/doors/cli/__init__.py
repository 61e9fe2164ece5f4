"""The terminal.

Takes: command lines. Gives: text for people, or the same as JSON, and an exit code. Never: decides anything.
"""
