"""How a corrected number is printed."""
