"""Reasoning: what kind of request it is, which strategy fits, and when more care is due.

Takes: utterances and what the other layers found. Gives: routing decisions. Never: an answer.
"""
