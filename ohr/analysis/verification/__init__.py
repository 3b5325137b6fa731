"""Verifies that the files of a run are what its study wrote."""
