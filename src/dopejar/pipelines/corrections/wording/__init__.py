"""Wording: the text that memory would keep of a wish, in imperative form.

Takes: a turn and what it answers. Gives: a text that stands alone, or says that it needs a look. Never:
cuts a rule short.
"""
