"""Contract suites, fakes and builders, shipped so that adapters written elsewhere can be held to the same promises.

Takes: ports and values. Gives: one suite per port. Never: is imported by the program itself.
"""
