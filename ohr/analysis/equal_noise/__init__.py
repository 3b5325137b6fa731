"""What the same amount of noise costs, by its kind and by the kind of pages."""
