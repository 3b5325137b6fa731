"""Whole published systems, one file each, over the pages of a noisy knowledge base."""
