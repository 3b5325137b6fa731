"""Differences between conditions, paired by question."""
