"""Whether made questions rank conditions as given ones do."""
