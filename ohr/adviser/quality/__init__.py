"""Estimates how wrong OCR output is without ground truth."""
