"""Reads every page by the cheapest text that can be trusted."""
