"""Importers for the transcripts of other programs, one module per format, all behind `ports/transcripts.py`.

Takes: the bytes of a file. Gives: conversations of turns whose origin is known. Never: judges or stores what it reads.
"""
