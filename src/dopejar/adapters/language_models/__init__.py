"""Language models over HTTP: OpenAI-compatible servers and Ollama.

Takes: an `Ask`. Gives: a validated `Reply`. Never: more than one repair, and never past the daily cap.
"""
