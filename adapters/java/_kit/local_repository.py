"""Where Maven keeps what it has fetched, and what was built on this machine."""

import xml.etree.ElementTree as ET
from pathlib import Path


def local_repository() -> Path:
    """Where the user's settings have it, or else where it usually is."""
    home = Path.home() / ".m2"
    settings = home / "settings.xml"
    if settings.is_file():
        for element in ET.parse(settings).iter():
            if element.tag.endswith("localRepository") and element.text:
                return Path(element.text.strip())
    return home / "repository"


def folder_of(package: str) -> Path:
    """The folder of GROUP:ARTIFACT."""
    group, artifact = package.split(":")
    return local_repository() / group.replace(".", "/") / artifact
