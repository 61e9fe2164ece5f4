"""Paraphrases: whether two statements under different keys say one thing in other words.

Takes: texts, their wordings, their vectors where there are any. Gives: a decision with its
reason. Never: a search of its own.
"""
