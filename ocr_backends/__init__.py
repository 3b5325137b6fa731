"""OCR engines, one a file: page images or PDFs in, Markdown out."""
