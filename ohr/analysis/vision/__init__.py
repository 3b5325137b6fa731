"""OCR and page images on one noise axis."""
