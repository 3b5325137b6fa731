"""Which answers can be trusted under noise."""
