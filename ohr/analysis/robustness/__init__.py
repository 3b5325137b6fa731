"""What readers keep of their quality under noise."""
