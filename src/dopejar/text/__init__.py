"""Pure functions over text: words, sentences, polarity, values, likeness, token counts.

Takes: any Unicode string, lone surrogates included. Gives: strings, lists and small frozen values. Never: writes, asks
a network or a model; reads nothing but its own lexicon files, once, at first use.
"""
