"""The variables Terraform is started with, the outputs, and what a plan file must be."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplatform.errors import PlatformError
from gpuplatform.terraform.environment import terraform_environment
from gpuplatform.terraform.outputs import parse_outputs, visible_outputs
from gpuplatform.terraform.plan_file import read_plan_file


def test_environment() -> None:
    made = terraform_environment(
        {
            "PATH": "/bin",
            "TF_CLI_CONFIG_FILE": "/c",
            "TF_CLI_ARGS_apply": "-target=x",
            "TF_LOG": "TRACE",
            "TF_WORKSPACE": "other",
            "AZURE_CLIENT_ID": "a",
            "ARM_TENANT_ID": "t",
            "AZURE_TENANT_ID": "other",
        },
        data_directory=Path("/d"),
        subscription_id="s",
    )
    assert made == {
        "PATH": "/bin",
        "TF_CLI_CONFIG_FILE": "/c",
        "AZURE_CLIENT_ID": "a",
        "AZURE_TENANT_ID": "other",
        "ARM_CLIENT_ID": "a",
        "ARM_TENANT_ID": "t",
        "ARM_SUBSCRIPTION_ID": "s",
        "CHECKPOINT_DISABLE": "1",
        "TF_IN_AUTOMATION": "1",
        "TF_INPUT": "0",
        "TF_DATA_DIR": "/d",
    }


def test_workload_identity() -> None:
    made = terraform_environment(
        {"AZURE_FEDERATED_TOKEN_FILE": "/token"}, data_directory=Path("/d"), subscription_id=""
    )
    assert (made["ARM_OIDC_TOKEN_FILE_PATH"], made["ARM_USE_OIDC"]) == ("/token", "true")
    assert "ARM_SUBSCRIPTION_ID" not in made


def test_outputs() -> None:
    values = visible_outputs(
        {
            "resource_group_name": {"value": "rg-ai-dev"},
            "location": {"value": "eastus2", "sensitive": False},
            "cluster_name": {"value": "aks"},
            "cluster_id": {"value": "/subscriptions/s"},
            "gpu_pools": {"value": {"gpu": {"vm_size": "Standard_NC6", "min_nodes": 0, "max_nodes": 2}}},
            "kubeconfig": {"value": "secret", "sensitive": True},
            "unknown": {"sensitive": False},
        }
    )
    assert "kubeconfig" not in values
    outputs = parse_outputs(values)
    assert (outputs.cluster_name, outputs.gpu_pools["gpu"].max_nodes) == ("aks", 2)
    assert outputs.workbench_vm_ids == ()
    with pytest.raises(PlatformError, match="cluster_id: is required"):
        parse_outputs({key: value for key, value in values.items() if key != "cluster_id"})


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_plan_file(content: bytes) -> None:
    with pytest.raises(PlatformError, match="not one of Terraform's"):
        read_plan_file(content)
