"""Proposals from clusters, compared with the records that are stored, rejected or undone.

Takes: clusters, stored records. Gives: summaries, and proposals for the gate. Never: writes.
"""
