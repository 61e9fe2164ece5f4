"""Procedural memory: from what happened to bullets, and what becomes of them.

Takes: episodes, insights, bullets. Gives: proposals, suggestions, plans. Never: writes, nor decides.
"""
