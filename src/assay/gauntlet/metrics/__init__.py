"""What a bar may ask for: a module for each family of metrics, and one table of all."""
