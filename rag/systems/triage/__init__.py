"""PDFTriage's parts: the library of documents, its metadata, the tools, and who plans with them."""
