"""Governance: what may change memory, who may say so.

Takes: proposals, trust, reviewers' words. Gives: verdicts and other answers as values. Never: writes.
"""
