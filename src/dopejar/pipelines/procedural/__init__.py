"""Procedural memory: bullets are derived from episodes, classified, curated and maintained.

Takes: episodes, insights, bullets. Gives: proposals, suggestions, plans. Never: writes or decides.
"""
