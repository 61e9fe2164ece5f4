"""Language: what two statements have to do with each other.

Takes: statements as a reader of statements read them. Gives: relations that may be acted on. Never: loads a model.
"""
