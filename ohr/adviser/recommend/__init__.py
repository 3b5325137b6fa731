"""Which engine and retriever to take."""
