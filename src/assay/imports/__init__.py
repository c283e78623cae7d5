"""Other people's records, read as ours: scored runs become trials. Nothing is scored here."""
