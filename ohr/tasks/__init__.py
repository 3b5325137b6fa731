"""Frozen tasks: a study with its data, noise and metrics in one file, open in what is compared."""
