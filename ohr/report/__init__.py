"""A report that opens by double click: what a run measured, and the cases behind its numbers."""
