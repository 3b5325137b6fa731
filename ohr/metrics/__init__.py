"""Metrics of the study, under both scoring protocols."""
