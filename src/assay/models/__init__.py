"""How a method speaks to a language model: over HTTP, in this process, or from a recording."""
