"""Keys: the canonical key of a statement, and the value-free slot behind it.

Takes: an atom's words. Gives: keys, slots, values. Never: a guess; what cannot be read has no slot.
"""
