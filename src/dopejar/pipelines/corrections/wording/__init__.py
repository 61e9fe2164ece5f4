"""Wording: the words of a turn that memory would keep of a wish.

Takes: a turn. Gives: the person's own clause, and whether it can be read alone. Never: rewords it.
"""
