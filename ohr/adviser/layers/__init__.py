"""Says for each page of your PDFs whether its text layer can be trusted."""
