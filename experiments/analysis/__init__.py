"""Frames in, frames out: no printing, no axes."""
