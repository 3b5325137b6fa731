"""Mitigations: how much of the loss to noise each of them wins back."""
