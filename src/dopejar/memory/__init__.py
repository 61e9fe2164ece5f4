"""The core of the memory: lifecycle, the five writes, the ledger, undo and erasure.

Takes: proposals with their verdicts, and a store's transaction. Gives: one transaction per act. Never: judges.
"""
