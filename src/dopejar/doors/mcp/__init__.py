"""The MCP door: tools of the memory for assistants, over stdio or HTTP on loopback.

Takes: tool calls. Gives: results with their sources. Never: a rule of its own, a decision about what waits, or a word
of an agent as anything but an agent's word.
"""
