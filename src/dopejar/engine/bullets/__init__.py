"""Bullets.

Takes: . Gives: . Never: .
"""
