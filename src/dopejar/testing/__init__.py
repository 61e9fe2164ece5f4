"""Contract suites, fakes and builders, shipped so that adapters written elsewhere can be held to the same promises.

Takes: ports and values. Gives: suites for the store, embedder, reader of statements, language model and transcripts.
Never: is imported by the program itself.
"""
