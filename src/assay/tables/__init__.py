"""Files as rows: what people have, whatever it is called."""
