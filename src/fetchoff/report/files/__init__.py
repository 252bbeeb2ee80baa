"""results.csv, results.json, and the CSV files of an article."""
