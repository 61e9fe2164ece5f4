"""Bullets: the verbs of procedural memory.

Takes: insights, outcomes and decisions. Gives: bullets as they end up. Never: writes past the gate.
"""
