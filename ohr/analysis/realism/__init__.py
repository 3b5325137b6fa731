"""How pages' edit distances are distributed at each level of noise."""
