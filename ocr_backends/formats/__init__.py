"""Readers of the formats that OCR tools write: each turns a file into blocks, by page."""
