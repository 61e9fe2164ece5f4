"""Signals of an utterance: phrases as data, read with negation and context, and what a model adds.

Takes: what a user typed. Gives: signals with their confidence. Never: acts on one.
"""
