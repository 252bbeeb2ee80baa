"""What dask-kubernetes makes of the guide's cluster, as JSON: `python pods.py RECIPE`.

Runs in a process of its own, for dask-kubernetes isn't among this project's packages. Instead of
asking a cluster, it checks the resource against the operator's own definition, and has the
operator's functions make what they would create.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from dask_kubernetes import operator  # type: ignore[import-not-found]
from dask_kubernetes.operator.controller import controller  # type: ignore[import-not-found]

DEFINITION = "deployment/helm/dask-kubernetes-operator/crds/daskcluster.yaml"


class Recorded:
    """In place of a cluster: keeps what it was told to be."""

    scheduler_address = ""
    asked: dict[str, Any]

    def __init__(self, custom_cluster_spec: dict[str, Any]) -> None:
        type(self).asked = custom_cluster_spec

    def wait_for_workers(self, count: int) -> None:
        """There are as many as were asked for."""
        asked: int = self.asked["spec"]["worker"]["replicas"]
        if count != asked:
            sys.exit(f"error: waits for {count} workers of {asked}")


def without_null(node: Any) -> Any:
    """A server of Kubernetes drops what is null."""
    if isinstance(node, dict):
        return {key: without_null(value) for key, value in node.items() if value is not None}
    return [without_null(value) for value in node] if isinstance(node, list) else node


def main() -> None:
    """Print the specifications of the scheduler's pod and of each worker's."""
    operator.KubeCluster = Recorded
    code = Path(sys.argv[1]).read_text()
    exec(compile(code, sys.argv[1], "exec"), {"input": lambda _: "", "print": lambda _: None})
    asked = without_null(Recorded.asked)
    definition = yaml.safe_load((Path(operator.__file__).parent / DEFINITION).read_text())
    (version,) = definition["spec"]["versions"]
    jsonschema.validate(asked, version["schema"]["openAPIV3Schema"])
    name, spec = asked["metadata"]["name"], asked["spec"]
    made = [controller.build_scheduler_deployment_spec(name, spec["scheduler"]["spec"], {}, {})]
    for number in range(spec["worker"]["replicas"]):
        group = f"{name}-default", "default", name, f"{number:010x}"
        made.append(controller.build_worker_deployment_spec(*group, spec["worker"]["spec"], {}, {}))
    json.dump([deployment["spec"]["template"]["spec"] for deployment in made], sys.stdout)


if __name__ == "__main__":
    main()
