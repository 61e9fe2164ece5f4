"""Altitude: how abstract a request is, and whether what it rests on was established.

Takes: utterances, the altitude of the conversation, the user's north stars. Gives: levels and validation results.
Never: blocks a request but one with high stakes.
"""
