"""The first screen of report.html: which client to use, for what the reader chooses to see.

`document` is the view model of the whole screen: what the browser needs to filter, rank, compare
and describe clients without asking anybody.
"""
