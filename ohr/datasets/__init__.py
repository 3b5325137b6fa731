"""Datasets: OHR-Bench, a folder of PDFs, the generated sample."""
