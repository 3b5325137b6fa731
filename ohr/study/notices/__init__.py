"""Notes beside a run's results: failures, what was left out, what it was compared with."""
