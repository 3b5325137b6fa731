"""What noise leaves of documents' outlines and tables."""
