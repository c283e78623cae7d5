"""The methods we ship. Ordinary methods all of them: nothing else in Assay knows them by name."""
