"""Learning: patterns that outcomes prove, how alike ones become one, and what a stretch of work shows in hindsight.

Takes: outcomes, patterns, and the time. Gives: patterns, merges, and figures. Never: trims by itself, or keeps words.
"""
