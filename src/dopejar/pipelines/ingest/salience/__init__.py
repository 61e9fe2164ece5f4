"""Salience: whether a statement of a conversation says something months later, by a small learned score over its words.

Takes: the words of a statement. Gives: features with names, and a probability. Never: a decision; see
`standalone_statements`.
"""
