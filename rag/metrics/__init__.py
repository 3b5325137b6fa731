"""Metrics that need what the room has: encoders."""
