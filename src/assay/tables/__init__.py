"""Read files of many forms as rows."""
