"""`dopejar-hook`: what coding assistants call at the events of a session.

Takes: one JSON payload on stdin. Gives: one JSON answer on stdout, or nothing. Never: blocks the user's work because of
an error of its own.
"""
