"""Maintenance: expiry, the vector backlog, the merge sweep, and the doctor.

Takes: a store and a time budget. Gives: reports of what was done. Never: changes what is believed, except that
proposals and ephemeral memories expire.
"""
