"""An interactive report of finished runs: their results, and the cases behind the numbers."""
