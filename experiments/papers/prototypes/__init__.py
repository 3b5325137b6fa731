"""The prototypes P0 to P4 with MC-Indexing."""
