NAME="report"
def command() -> None:
    """x"""
