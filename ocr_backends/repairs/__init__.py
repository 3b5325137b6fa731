"""Repairs of a page image before it is read: each takes an image and returns one."""
