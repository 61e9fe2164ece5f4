"""Prefilter for regular expressions: which of many patterns can match a text at all.

Takes: expressions, then texts. Gives: literals that every match contains, and rules that are tried only where they can
match. Never: skips a text that an expression matches.
"""
