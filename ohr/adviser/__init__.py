"""Advice for your PDFs without ground truth: quality, questions, a recommendation."""
