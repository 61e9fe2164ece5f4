"""Integrity: the effect of a statement on stored records: reinforce, supersede, coexist, or a conflict for review.

Takes: statements parsed into values. Gives: relations and moves. Never: writes, or retires a record in doubt.
"""
