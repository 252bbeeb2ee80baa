"""The claims that ship: what they are about exists."""

from __future__ import annotations

import pytest

from fetchoff.app.courses import courses, must_be_measurable
from fetchoff.catalog import claims as catalog
from fetchoff.catalog import workloads
from fetchoff.catalog.manifests import named
from fetchoff.diagnosis.rules.registry import all_rules
from fetchoff.model.claim import (
    measured_sides,
)


@pytest.mark.parametrize("name", catalog.articles())
def test_shipped_claims_are_about_clients_and_workloads_of_their_suite(name: str) -> None:
    article, suite = catalog.article(name), workloads.suite(name)
    sides = {side for claim in article.claims for side in measured_sides(claim.statement)}
    assert {side.workload for side in sides} <= set(suite.workloads)
    assert {side.client for side in sides} <= set(suite.clients)
    tables = {c.side for table in article.tables for row in table.rows for c in row.cells}
    assert {side.workload for side in tables} <= set(suite.workloads)
    assert {side.client for side in tables} <= set(suite.clients)
    assert article.per_implementation in ("", *suite.workloads)
    for client in suite.clients:
        assert named(client) is not None, client


@pytest.mark.parametrize("name", catalog.reported())
def test_reported_claims_can_be_measured_and_explained(name: str) -> None:
    """Their clients, workloads and rules exist, and nothing else is measured for them."""
    article, suite = catalog.article(name), catalog.suite(name)
    assert article.report is not None
    for client in suite.clients:
        assert named(client) is not None, client
    measured = {side for claim in article.claims for side in measured_sides(claim.statement)}
    assert {side.workload for side in measured} <= set(suite.workloads)
    assert suite.baseline in suite.clients
    must_be_measurable(courses(suite.workloads))
    known = {rule.id for rule in all_rules()}
    for finding in article.findings:
        assert finding.fault in known
        assert courses([finding.of.workload])[0].id == finding.of.workload
        assert finding.of.client in suite.clients
