NAME="origin"
def command() -> None:
    """x"""
