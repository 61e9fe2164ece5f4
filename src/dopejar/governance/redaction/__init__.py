"""Redaction: secrets and private spans are removed from a text before anything is stored.

Takes: texts. Gives: redacted texts and counts per kind of secret. Never: keeps, logs or returns a secret.
"""
