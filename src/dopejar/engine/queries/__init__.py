"""Queries: everything that reads the memory and changes nothing that is believed.

Takes: questions, names and filters. Gives: frozen results with their sources. Never: commits.
"""
