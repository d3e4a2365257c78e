"""Tables survive whatever their cells hold."""

from gpuplatform.reporting.markdown import count, table


def test_table_escapes_and_aligns() -> None:
    assert table(["what", "n:"], [["a|b\nc", 3], [None, 0]]).splitlines() == [
        "| what | n |",
        "| --- | ---: |",
        "| a\\|b c | 3 |",
        "| – | 0 |",
    ]


def test_count() -> None:
    assert [count(1, "node"), count(0, "node"), count(2, "policy", "policies")] == [
        "1 node",
        "0 nodes",
        "2 policies",
    ]
