"""The verbs of Memory: read, think, judge, commit.

Takes: wishes of doors and hosts. Gives: results as values. Never: names an adapter; compose hands them in.
"""
