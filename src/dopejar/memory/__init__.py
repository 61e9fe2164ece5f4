"""The core: lifecycle, commit, append, hold, ledger, undo, forgetting.

Takes: proposals with their verdicts, and a store's transaction. Gives: one transaction per act. Never: judges.
"""
