"""The write gate: one rule table, trust, consent, redaction and the guards that feed its columns.

Takes: proposals and texts. Gives: verdicts and redacted texts. Never: writes, and never lets a model decide.
"""
