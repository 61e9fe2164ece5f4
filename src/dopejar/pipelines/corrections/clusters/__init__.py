"""Clusters: the same wish across turns and conversations.

Takes: candidates. Gives: clusters with frequency, confidence, first and last seen. Never:
joins a wish with its opposite.
"""
