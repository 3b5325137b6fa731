"""How wrong OCR output is, estimated without ground truth."""
