"""What the signals of OCR output are worth where the truth is known."""
