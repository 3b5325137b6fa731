"""Studies that are made of several runs, and reported as one."""
