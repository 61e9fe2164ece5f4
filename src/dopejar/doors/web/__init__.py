"""The web door: review queue, memories, ledger and an overview in a local browser.

Takes: requests from that browser. Gives: pages. Never: a rule of its own, a request to another host, or a decision
without a reviewer.
"""
