"""What brings a person's work back after the program was killed."""
