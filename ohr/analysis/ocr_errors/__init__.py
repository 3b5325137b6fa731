"""Fits a model of an engine's errors, and checks it on other documents."""
