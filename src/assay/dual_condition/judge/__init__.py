"""Judge dual-condition evidence: values in, values out."""
