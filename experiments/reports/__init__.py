"""What a command prints and writes about finished results: tables, figures, files."""
