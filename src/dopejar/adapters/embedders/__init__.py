"""Embedders: MiniLM in plain numpy, and hashed n-grams for where no weights are installed.

Takes: texts. Gives: unit vectors with an identity. Never: a network call while embedding.
"""
