"""The core of the memory: lifecycle, the four writes, the ledger, undo and erasure.

Takes: proposals with their verdicts, and a store's transaction. Gives: one transaction per act. Never: judges.
"""
