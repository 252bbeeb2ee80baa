NAME="run"
def command() -> None:
    """x"""
