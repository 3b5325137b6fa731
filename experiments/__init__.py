"""The studies: python -m experiments.<name>."""
