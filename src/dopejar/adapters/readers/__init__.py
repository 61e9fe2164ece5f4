"""Readers of statements over installed models; see `ports.statement_reader`.

Takes: sentences. Gives: what they state, and how two of them relate. Never: a belief; integrity and the gate decide.
"""
