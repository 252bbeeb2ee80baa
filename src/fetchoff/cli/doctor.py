NAME="doctor"
def command() -> None:
    """x"""
