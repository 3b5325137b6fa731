"""Formatting commands per page (table S2)."""
