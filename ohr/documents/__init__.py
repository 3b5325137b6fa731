"""PDFs and images: opening, drawing pages, text layers."""
