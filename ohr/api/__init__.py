"""What `import ohr` promises."""
