"""Measures how OCR noise cascades through retrieval-augmented generation."""
