"""Mitigations before, in and after OCR: repairs of images and texts, fusions of engines' texts."""
