"""Clean engines side by side."""
