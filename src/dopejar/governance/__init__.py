"""Governance: what may change memory, and who may approve it.

Takes: proposals, texts, reviewers' credentials. Gives: verdicts and other answers as values. Never: writes.
"""
