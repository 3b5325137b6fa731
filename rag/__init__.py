"""Retrieval-augmented generation: chunkers, retrievers, readers."""
