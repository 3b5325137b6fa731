"""Figures, drawn from frames alone."""
