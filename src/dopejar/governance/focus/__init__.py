"""Focus: stance, gates, commitments and lanes, each as a table and pure steps.

Takes: frozen state and the time. Gives: new state and decisions. Never: writes.
"""
