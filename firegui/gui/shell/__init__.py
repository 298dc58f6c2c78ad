"""What surrounds the work: layout, start page, palette of commands, help, guided tour."""
