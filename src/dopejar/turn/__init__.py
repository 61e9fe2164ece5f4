"""The turn: a slow tick that decides what may be done, and the record of it.

Takes: a memory and what a person says. Gives: governed turns. Never: executes anything itself.
"""
