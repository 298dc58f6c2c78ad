"""Help pages, guided tour, command palette and the about box."""
