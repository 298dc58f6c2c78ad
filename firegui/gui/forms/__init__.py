"""Forms built from field metadata."""
