"""Your own PDFs, without ground truth: quality, questions, a recommendation."""
