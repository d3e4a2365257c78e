"""The result of a quota sweep: what is there, and what was not seen."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from gpuplatform.quota.rows import UNKNOWN_MODEL, QuotaRow, QuotaState
from gpuplatform.reporting.markdown import count, table

__all__ = ["Blind", "Cell", "SweepSummary"]

_SHOWN = frozenset({QuotaState.FREE, QuotaState.EXHAUSTED, QuotaState.RESTRICTED, QuotaState.UNKNOWN})


class Cell(BaseModel):
    """One subscription in one region."""

    model_config = ConfigDict(frozen=True)

    subscription_id: str
    region: str

    def __str__(self) -> str:
        return f"{self.region} ({self.subscription_id[:8]})"


class Blind(Cell):
    """Something that could not be read; `region` is `*` where it concerns the whole subscription."""

    reason: str


class SweepSummary(BaseModel):
    """The GPU quota of subscriptions and regions."""

    model_config = ConfigDict(frozen=True)

    cells: tuple[Cell, ...]
    """Everything that was to be read."""
    rows: tuple[QuotaRow, ...]
    blind: tuple[Blind, ...] = ()
    not_offered: tuple[Cell, ...] = ()

    @property
    def seen(self) -> bool:
        """Whether at least one cell was read."""
        unseen = {(cell.subscription_id, cell.region) for cell in self.blind}
        read = {(row.subscription_id, row.region) for row in self.rows}
        rest = {(cell.subscription_id, cell.region) for cell in self.cells} - unseen
        return bool(read or rest)

    @property
    def granted_models(self) -> tuple[str, ...]:
        """GPU models with a limit above 0 somewhere."""
        models = {row.model for row in self.rows if row.limit_vcpus and row.state in _SHOWN}
        return tuple(sorted(models - {UNKNOWN_MODEL}))

    @property
    def unknown_families(self) -> tuple[str, ...]:
        """N-series families that the catalogue does not know, with quota or sizes somewhere."""
        return tuple(
            sorted(
                {r.family for r in self.rows if r.model == UNKNOWN_MODEL and r.state is QuotaState.UNKNOWN}
            )
        )

    @property
    def refused_models(self) -> tuple[str, ...]:
        """GPU models that are offered somewhere and granted nowhere."""
        models = {row.model for row in self.rows if row.state is QuotaState.NOT_GRANTED}
        return tuple(sorted(models - set(self.granted_models) - {UNKNOWN_MODEL}))

    @property
    def message(self) -> str:
        """One sentence; it never omits what was not seen."""
        regions = count(len({cell.region for cell in self.cells}), "region")
        text = f"{count(len(self.granted_models), 'GPU model')} granted in {regions}"
        text += f"; {len(self.refused_models)} not granted"
        if self.unknown_families:
            text += f"; not in the catalogue: {', '.join(self.unknown_families)}"
        if self.not_offered:
            text += f"; Compute not offered: {', '.join(str(cell) for cell in self.not_offered)}"
        if not self.blind:
            return f"{text}; blind: none"
        places = sorted({str(cell) for cell in self.blind})
        return f"{text}; blind: {', '.join(places)} ({self.blind[0].reason})"

    def shown(self) -> tuple[QuotaRow, ...]:
        """The rows worth a line: a limit, use, or something that is not understood."""
        return tuple(row for row in self.rows if row.state in _SHOWN or row.used_vcpus)

    def table_rows(self) -> list[dict[str, str]]:
        """One row a GPU family and region, every cell a text."""
        several = len({cell.subscription_id for cell in self.cells}) > 1
        return [
            {
                **({"subscription": row.subscription_id[:8]} if several else {}),
                "region": row.region,
                "GPU": row.model,
                "family": row.family,
                "granted": _gpus(row, row.granted_gpus),
                "used ≤": "?" if row.used_gpus is None else f"{row.used_gpus:g}",
                "free": _gpus(row, row.free_gpus),
                "free spot": "?" if row.free_spot_gpus is None else f"{row.free_spot_gpus:g}",
                "pools may use": _plain(row.pool_max_gpus),
                "reserved": _plain(row.reserved_gpus),
                "vCPUs": f"{_plain(row.used_vcpus)} of {_limit(row.limit_vcpus)}",
                "state": _state(row),
            }
            for row in self.shown()
        ]

    def markdown(self) -> str:
        """The summary, the table, the families without quota, and every blind spot with its reason."""
        parts = ["## GPU quota", self.message]
        rows = self.table_rows()
        if rows:
            parts.append(table(list(rows[0]), (list(row.values()) for row in rows)))
            parts.append(
                "GPUs are those of the family's best size: floor(vCPUs ÷ vCPUs of a machine) × GPUs of a"
                " machine; free is what the family's and the region's limit both allow."
            )
        for region in sorted({row.region for row in self.rows}):
            refused = sorted(
                {r.model for r in self.rows if r.region == region and r.state is QuotaState.NOT_GRANTED}
            )
            if refused:
                parts.append(f"**Not granted in {region}** (limit 0): {', '.join(refused)}.")
        if self.blind:
            lines = [f"- {cell}: {cell.reason}" for cell in self.blind]
            parts += ["### Not seen", "\n".join(lines)]
        return "\n\n".join(parts)


def _gpus(row: QuotaRow, value: float | None) -> str:
    if value is not None:
        return f"{value:g}"
    return "unlimited" if row.limit_vcpus is not None and row.limit_vcpus < 0 else "?"


def _plain(value: int | None) -> str:
    return "–" if value is None else str(value)


def _limit(value: int | None) -> str:
    if value is None:
        return "?"
    return "unlimited" if value < 0 else str(value)


def _state(row: QuotaRow) -> str:
    if row.state is QuotaState.EXHAUSTED and row.limited_by:
        return f"{row.state.value} ({row.limited_by})"
    notes = sorted({size.restriction for size in row.sizes if size.restriction})
    return f"{row.state.value} ({'; '.join(notes)})" if notes else row.state.value
