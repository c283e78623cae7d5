"""Does the text match the artifacts? Claims, checkers, mutants, and numbers without a claim."""
