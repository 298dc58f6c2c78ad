"""Help pages, guided tour and command palette."""
