"""What a reader does on the report's first screen, and what is then to be seen there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

LISTS = ("language", "kind", "protocol", "capability", "pick", "without", "column")
START: dict[str, Any] = {
    **{name: [] for name in LISTS},
    **dict.fromkeys(("aspect", "baseline", "text", "sort", "client", "view"), ""),
    **dict.fromkeys(("plain", "only", "turned"), False),
}
"""The state of scripts/state.mjs before the reader chooses anything."""


@dataclass
class Reader:
    """Uses the page, and counts what that takes: a click, a choice or a text is one action."""

    page: Page
    actions: int = 0

    def click(self, place: Locator) -> None:
        self.actions += 1
        place.click()

    def facet(self, name: str) -> Locator:
        return self.page.locator("#controls .facet", has_text=f"{name}:")

    def choose(self, facet: str, option: str) -> None:
        """Click an option of a facet, which is opened for that if it isn't."""
        place = self.facet(facet)
        if place.get_attribute("open") is None:
            self.click(place.locator("summary"))
        found = place.get_by_role("button", name=option, exact=False)
        exact = [one for one in found.all() if said(one) == option]
        self.click(exact[0])

    def switch(self, aspect: str) -> None:
        self.click(self.page.get_by_role("radio", name=aspect, exact=True))

    def find(self, text: str) -> None:
        self.actions += 1
        self.page.get_by_role("searchbox").fill(text)

    def relative_to(self, client: str) -> None:
        self.actions += 1
        self.page.get_by_label("relative to").select_option(client)

    def pick(self, *clients: str) -> None:
        for client in clients:
            self.click(self.page.get_by_role("checkbox", name=f"pick {client}", exact=True))

    def press(self, button: str) -> None:
        self.click(self.page.get_by_role("button", name=button, exact=True))

    def open(self, client: str) -> None:
        """Go to a client's page, which follows the address a moment after the click."""
        self.click(self.page.locator("#matrix tbody").get_by_role("link", name=client, exact=True))
        expect(self.page.locator("#view-client")).to_be_visible()

    @property
    def clients(self) -> list[str]:
        """The rows of the matrix."""
        return self.page.locator("#matrix tbody th a").all_inner_texts()

    @property
    def advice(self) -> str:
        return self.page.locator("#advice").inner_text()

    def column(self, heading: str) -> list[str]:
        """The figures in a column of the matrix, the large ones."""
        heads = self.page.locator("#matrix thead th button").all_inner_texts()
        place = heads.index(heading) + 1
        cells = self.page.locator(f"#matrix tbody tr > :nth-child({place})")
        return [cell.split("\n")[0].strip() for cell in cells.all_inner_texts()]


def said(option: Locator) -> str:
    """An option without its mark."""
    return option.inner_text().removeprefix("✓ ").removeprefix("✕ ")
