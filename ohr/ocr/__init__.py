"""Pages of a study: distorted, read, rewritten and kept."""
