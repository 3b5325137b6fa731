"""OCR engines, one per file: they turn page images or PDFs into Markdown."""
