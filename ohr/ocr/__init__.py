"""OCR of pages: distortion, recognition, formatting noise, storage and sharing of work."""
