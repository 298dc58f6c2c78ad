"""What minds the work while nobody looks: the machine kept awake, a notice at the end, the log of what happened."""
