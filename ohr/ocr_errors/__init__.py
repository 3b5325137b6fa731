"""OCR errors as a model: alignment of OCR output with the truth, fitted counts, made errors."""
