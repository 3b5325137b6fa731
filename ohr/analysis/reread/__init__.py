"""Which pages to read again first."""
