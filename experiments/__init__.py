"""The commands of the app ``ohr``, one file per command."""
