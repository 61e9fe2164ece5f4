"""What the ports look like from outside: one room per technology.

Takes: ports and values. Gives: adapters that `compose` alone names. Never: a rule.
"""
