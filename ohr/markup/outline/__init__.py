"""The structure of a document, from whatever OCR left of it."""
