"""Integrity: what a statement does to what is known: reinforce, supersede, coexist, or a conflict for a person.

Takes: statements taken apart into values. Gives: relations and moves. Never: writes, nor retires what it is unsure of.
"""
