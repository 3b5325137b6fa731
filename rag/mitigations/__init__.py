"""Mitigations in retrieval: other ways to search noisy text."""
