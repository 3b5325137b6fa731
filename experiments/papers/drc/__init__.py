"""Detect, retrieve, comprehend: McDonald et al. 2022."""
