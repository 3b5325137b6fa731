"""Compares the signals of OCR quality with true errors, where the truth is known."""
