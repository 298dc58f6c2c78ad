"""Study: many plans of one project that differ in chosen ways, on several processes or a cluster."""
