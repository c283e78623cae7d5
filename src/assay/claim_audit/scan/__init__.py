"""The uncurated audit: numbers of a text that no claim covers, and what could cover them."""
