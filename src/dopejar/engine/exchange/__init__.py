"""Exchange: backups of the data file, and export and import as JSON lines.

Takes: paths and a reviewer. Gives: files, and what came in. Never: overwrites a file, or brings back what was erased.
"""
