"""Does a text say what its sources say? A judge that must first be seen finding fabrications."""
