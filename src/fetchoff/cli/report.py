"""`fetchoff report`: compute and show the results of a run again."""

from __future__ import annotations

from fetchoff.cli import options

NAME = "report"


def command(
    run: options.RunPath,
    per_day: options.PerDay = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Compute the results of a run folder again; print the ranking and write the report."""
    from fetchoff.store.run_folder import RunFolder

    folder = RunFolder.open(run)
    if folder.header.hosts:
        from fetchoff.cli.fleet import measuring

        measuring.write_and_show(folder, quiet=quiet, as_json=as_json, per_day=per_day)
        return
    from fetchoff.app.results import analysis_of
    from fetchoff.cli import results

    analysis = analysis_of(folder)
    results.write_and_show(analysis, run, quiet=quiet, as_json=as_json, per_day=per_day)
