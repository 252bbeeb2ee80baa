"""What a run says, as tables, CSV, JSON and a page. Pure functions; may import model and stats."""
