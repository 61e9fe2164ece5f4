"""Corrections.

Takes: . Gives: . Never: .
"""
