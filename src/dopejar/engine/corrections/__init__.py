"""Corrections: what a conversation asks of the assistant, read at its end, and instruction files.

Takes: kept conversations and files. Gives: staged rules. Never: asks anybody.
"""
