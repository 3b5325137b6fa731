"""What is kept from run to run: artefacts, journals, identities, atomic writes, locks."""
