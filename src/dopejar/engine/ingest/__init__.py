"""Ingest.

Takes: . Gives: . Never: .
"""
