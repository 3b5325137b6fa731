"""Noisy pages and texts as files and pictures."""
