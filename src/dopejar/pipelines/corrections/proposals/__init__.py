"""Proposing: from clusters to what a person is asked, compared with what is stored, rejected or taken back.

Takes: clusters and what is known. Gives: summaries and proposals for the gate. Never: writes.
"""
