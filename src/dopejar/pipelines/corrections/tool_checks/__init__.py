"""Tool checks: approved corrections that are matched against tool calls, where they can be made precise.

Takes: a rule's text, a tool call. Gives: checks, and those that match. Never: denies a call without asking.
"""
