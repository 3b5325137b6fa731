"""What a run must say beside its results: failures, what was left out, whose truth it is."""
