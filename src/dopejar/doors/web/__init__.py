"""The page door: the review queue, the memories, the ledger and an overview in a browser on one's own machine.

Takes: requests from that browser. Gives: pages. Never: a rule of its own, a request to any other place, or a decision
without a reviewer.
"""
