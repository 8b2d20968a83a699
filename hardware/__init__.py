"""What the companion is made of besides a computer: cameras."""
