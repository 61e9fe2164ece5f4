"""Review: the queue of waiting proposals, decisions about them, and what a reviewer does directly.

Takes: proposals and a reviewer who proved who they are. Gives: decisions through the write gate, and previews of them.
Never: lets a proposer approve their own proposal, or decides about a version the reviewer did not see.
"""
