"""What is installed on this machine, and what its caches hold."""
