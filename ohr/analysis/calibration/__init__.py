"""Noise against intensity, fitted and checked."""
