"""How far metrics and a judge agree with a person."""
