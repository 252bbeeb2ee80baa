NAME="compare"
def command() -> None:
    """x"""
