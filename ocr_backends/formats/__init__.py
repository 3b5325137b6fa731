"""Files in which OCR engines and their tools leave what they read: each into blocks, by page."""
