"""Sets documents in type: Typst sources, looks, charts, scans, boxes of words."""
