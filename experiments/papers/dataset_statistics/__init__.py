"""A dataset beside the paper's table 1."""
