"""Writes the documents of each domain from one invented world."""
