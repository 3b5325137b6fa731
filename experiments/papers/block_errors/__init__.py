"""Blocks with OCR errors (table S3)."""
