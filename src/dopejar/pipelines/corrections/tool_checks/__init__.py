"""Tool checks: approved corrections held against tool calls, where they can be made precise.

Takes: a rule's text, a tool call. Gives: checks and the rules that apply. Never: denies before it has asked.
"""
