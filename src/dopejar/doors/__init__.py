"""Where people and programs come in.

Takes: words and wishes from outside. Gives: what the engine answers, rendered. Never: a rule, or another door.
"""
