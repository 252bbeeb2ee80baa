NAME="resume"
def command() -> None:
    """x"""
