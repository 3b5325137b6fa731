"""What noise costs each retriever."""
