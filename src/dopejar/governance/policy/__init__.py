"""The write gate: one rule table, the signals that it compares, and the guards that fill its columns.

Takes: proposals and texts. Gives: verdicts. Never: writes, and never lets a model decide.
"""
