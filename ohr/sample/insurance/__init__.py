"""A small set of German insurance terms: policies of three topics, and questions of each."""
