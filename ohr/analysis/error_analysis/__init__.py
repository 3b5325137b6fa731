"""Whether OCR and answer are right, question by question."""
