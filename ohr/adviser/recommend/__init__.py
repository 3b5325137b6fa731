"""Recommends an engine and a retriever."""
