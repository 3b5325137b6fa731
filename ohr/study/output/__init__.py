"""What a run writes: rows, cells, cases."""
