"""The garden of a memory: blocks of its conversations, and their tags.

Takes: conversations, and what was learned from them. Gives: blocks with their tags. Never: a second reading of a turn.
"""
