"""Detection: which turns correct the assistant or instruct it for good.

Takes: exchanges. Gives: candidates with type, durability and confidence. Never: reads memory.
"""
