"""Figures and findings in words. Only here are sentences made."""
