"""How sure a plan is (paper, section ``uq``)."""
