"""How clean OCR must be for a promised loss."""
