"""Which kinds of OCR errors cost how much."""
