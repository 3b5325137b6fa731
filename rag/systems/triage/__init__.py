"""PDFTriage's parts: the library of documents, its metadata, the tools, and the planners."""
