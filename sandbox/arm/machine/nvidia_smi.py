"""`nvidia-smi`: the query form, the list form and the summary table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandbox.arm.machine.state import CUDA_VERSION, DRIVER_VERSION, GpuModel, Machine, Output, gpu_model

__all__ = ["nvidia_smi"]

_NOT_LOADED = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
    "NVIDIA driver is installed and running.\n\n"
)
_Field = Callable[[Machine, GpuModel, int], str]


def _na(when: bool, value: str) -> str:  # reads as a condition
    return value if when else "[N/A]"


_FIELDS: dict[str, tuple[str, _Field]] = {  # field → unit, value
    "timestamp": ("", lambda *_: "2026/01/01 00:00:00.000"),
    "index": ("", lambda _m, _g, i: str(i)),
    "count": ("", lambda m, _g, _i: str(m.gpus)),
    "name": ("", lambda _m, g, _i: g.name),
    "gpu_name": ("", lambda _m, g, _i: g.name),
    "uuid": ("", lambda m, _g, i: m.uuid(i)),
    "gpu_uuid": ("", lambda m, _g, i: m.uuid(i)),
    "serial": ("", lambda *_: "[N/A]"),
    "driver_version": ("", lambda *_: DRIVER_VERSION),
    "pci.bus_id": ("", lambda _m, _g, i: f"{i + 1:08X}:00:00.0"),
    "gpu_bus_id": ("", lambda _m, _g, i: f"{i + 1:08X}:00:00.0"),
    "vbios_version": ("", lambda *_: "90.04.A7.00.01"),
    "compute_cap": ("", lambda _m, g, _i: g.compute_capability),
    "compute_mode": ("", lambda *_: "Default"),
    "persistence_mode": ("", lambda *_: "Disabled"),
    "pstate": ("", lambda *_: "P8"),
    "memory.total": ("MiB", lambda _m, g, _i: str(g.memory_mib)),
    "memory.reserved": ("MiB", lambda *_: "388"),
    "memory.used": ("MiB", lambda *_: "1"),
    "memory.free": ("MiB", lambda _m, g, _i: str(g.memory_mib - 389)),
    "utilization.gpu": ("%", lambda *_: "0"),
    "utilization.memory": ("%", lambda *_: "0"),
    "temperature.gpu": ("", lambda *_: "34"),
    "power.draw": ("W", lambda *_: "26.78"),
    "power.limit": ("W", lambda *_: "70.00"),
    "ecc.mode.current": ("", lambda _m, g, _i: _na(g.ecc, "Enabled")),
    "ecc.mode.pending": ("", lambda _m, g, _i: _na(g.ecc, "Enabled")),
    "ecc.errors.corrected.volatile.total": ("", lambda _m, g, _i: _na(g.ecc, "0")),
    "ecc.errors.uncorrected.volatile.total": ("", lambda _m, g, _i: _na(g.ecc, "0")),
    "ecc.errors.corrected.aggregate.total": ("", lambda _m, g, _i: _na(g.ecc, "0")),
    "ecc.errors.uncorrected.aggregate.total": ("", lambda _m, g, _i: _na(g.ecc, "0")),
    "retired_pages.pending": ("", lambda *_: "[N/A]"),
    "remapped_rows.correctable": ("", lambda _m, g, _i: _na(g.mig, "0")),
    "remapped_rows.uncorrectable": ("", lambda _m, g, _i: _na(g.mig, "0")),
    "remapped_rows.pending": ("", lambda _m, g, _i: _na(g.mig, "No")),
    "remapped_rows.failure": ("", lambda _m, g, _i: _na(g.mig, "No")),
    "mig.mode.current": ("", lambda _m, g, _i: _na(g.mig, "Disabled")),
    "mig.mode.pending": ("", lambda _m, g, _i: _na(g.mig, "Disabled")),
    "fabric.state": ("", lambda _m, g, _i: _na("HBM3" in g.name or "SXM" in g.name, "Completed")),
    "fabric.status": ("", lambda _m, g, _i: _na("HBM3" in g.name or "SXM" in g.name, "Success")),
}


def nvidia_smi(machine: Machine, arguments: Sequence[str]) -> Output:
    """As the program of driver branch 580 answers; its exit codes are NVIDIA's."""
    if not machine.driver_loaded:
        return Output(9, _NOT_LOADED)
    options = [argument for argument in arguments if argument.startswith("-")]
    query = next((o.partition("=")[2] for o in options if o.startswith("--query-gpu=")), None)
    if query is not None:
        return _query(machine, query, options)
    if not arguments:
        return Output(0, _table(machine))
    if list(arguments) in (["-L"], ["--list-gpus"]):
        model = gpu_model(machine.gpu)
        lines = [f"GPU {i}: {model.name} (UUID: {machine.uuid(i)})" for i in range(machine.gpus)]
        return Output(0, "\n".join(lines) + "\n")
    return Output(
        1, f"Invalid combination of input arguments. Please run 'nvidia-smi -h' for help. ({arguments[0]})\n"
    )


def _query(machine: Machine, query: str, options: Sequence[str]) -> Output:
    form = next((o.partition("=")[2] for o in options if o.startswith("--format=")), "")
    flags = {flag.strip() for flag in form.split(",")}
    if "csv" not in flags:
        return Output(
            2, '"--format=" switch is missing. It must be specified when "--query-" switches are used.\n'
        )
    names = [name.strip() for name in query.split(",")]
    for name in names:
        if name not in _FIELDS:
            return Output(2, f'Field "{name}" is not a valid field to query.\n\n')
    lines = []
    if "noheader" not in flags:
        lines.append(
            ", ".join(f"{name} [{_FIELDS[name][0]}]" if _FIELDS[name][0] else name for name in names)
        )
    model = gpu_model(machine.gpu)
    for index in range(machine.gpus):
        values = []
        for name in names:
            unit, value = _FIELDS[name]
            text = value(machine, model, index)
            values.append(f"{text} {unit}" if unit and "nounits" not in flags and text != "[N/A]" else text)
        lines.append(", ".join(values))
    return Output(0, "\n".join(lines) + "\n")


def _table(machine: Machine) -> str:
    model = gpu_model(machine.gpu)
    edge = "+" + "-" * 89 + "+"

    def row(text: str) -> str:
        return f"| {text:<87} |"

    lines = [
        "Thu Jan  1 00:00:00 2026       ",
        edge,
        row(
            f"NVIDIA-SMI {DRIVER_VERSION:<22} Driver Version: {DRIVER_VERSION:<14} CUDA Version: "
            f"{CUDA_VERSION}"
        ),
        edge,
        row("GPU  Name                          Bus-Id             Memory-Usage        GPU-Util"),
        edge,
    ]
    lines += [
        row(f"{i:>3}  {model.name:<29} {i + 1:08X}:00:00.0   {f'1MiB / {model.memory_mib}MiB':<20}      0%")
        for i in range(machine.gpus)
    ]
    lines += [edge, row("No running processes found"), edge]
    return "\n".join(lines) + "\n"
