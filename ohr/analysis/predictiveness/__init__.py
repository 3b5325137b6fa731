"""Which OCR metric predicts the loss."""
