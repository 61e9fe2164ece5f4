"""Ingest: from words to judged proposals, for direct statements, transcripts, live turns and replays.

Takes: words with their speaker. Gives: kept episodes and committed proposals. Never: writes past the gate.
"""
