"""Noise curves and their statistics."""
