"""report.html: one offline file."""
