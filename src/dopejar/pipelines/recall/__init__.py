"""Recall: a question in, ranked memories and a cited pack out.

Takes: a query, a snapshot of the store, an embedding function where there is one. Gives: ranked items, a
`ContextPack`. Never: writes, decides, or returns more tokens than the budget.
"""
