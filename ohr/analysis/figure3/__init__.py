"""The paper's figure 3: every stage against both kinds of noise."""
