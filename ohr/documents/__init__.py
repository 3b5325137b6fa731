"""PDFs and images: opens files, draws pages, reads text layers."""
