"""How far each class of method got: its best submission, and the bar that stops it."""
