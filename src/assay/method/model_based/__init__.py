"""Reference methods that ask a model. They are points to compare with, not recommendations."""
