"""The published tables and figures, one folder per topic."""
