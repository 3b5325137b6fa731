"""Asks questions of the written documents, and knows their answers."""
