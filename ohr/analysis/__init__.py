"""What finished runs say: one folder per topic, with its table, figure and report."""
