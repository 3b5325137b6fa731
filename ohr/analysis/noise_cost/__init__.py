"""Mean noise cost: what noise costs a condition, relative to a frozen baseline."""
