"""How results are named, worded and printed: labels, notes, tables."""
