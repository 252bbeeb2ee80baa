"""A site of static pages, made from the results of many runs."""
