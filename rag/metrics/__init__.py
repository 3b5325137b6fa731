"""Metrics that need the encoders of this package."""
