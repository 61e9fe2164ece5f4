"""Pure functions over text: words, sentences, polarity, values, similarity, token counts.

Takes: any Unicode string, lone surrogates included. Gives: strings, lists and small frozen values. Never: writes, or
uses a network or a model; reads only its own lexicon files, once, at first use.
"""
