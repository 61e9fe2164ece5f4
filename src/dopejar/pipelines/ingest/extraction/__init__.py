"""Extraction: an episode's words into atoms, and everything else with the reason why not.

Takes: words with who said them. Gives: atoms and what was left out. Never: reads memory.
"""
