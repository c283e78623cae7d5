"""Does the text match the artifacts? Claims, checkers, mutants, and what no claim covers."""
