"""Readers of statements: fitted heads over an installed encoder.

See `ports.statement_reader`.
"""
