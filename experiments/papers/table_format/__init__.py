"""Quality by the format of tables (figure 4)."""
