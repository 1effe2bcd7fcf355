"""A small line chart as SVG text, for notebooks: no library, no script."""

import html
from collections.abc import Mapping, Sequence

WIDTH, HEIGHT, MARGIN = 420, 220, 40
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#2aa1d8")
Line = tuple[Sequence[float], Sequence[float]]  # x and y


def chart(lines: Mapping[str, Line], x_title: str, y_title: str, x_top: float = 1.0) -> str:
    """Draw lines over x from 0 to its top and y from 0 to 100, without points that are NaN."""
    inner = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN
    parts = [_axes(x_title, y_title, x_top, inner)]
    for number, (name, (xs, ys)) in enumerate(lines.items()):
        color = COLORS[number % len(COLORS)]
        points = [
            f"{MARGIN + inner[0] * x / x_top:.1f},{MARGIN + inner[1] * (1 - y / 100):.1f}"
            for x, y in zip(xs, ys, strict=True)
            if x == x and y == y  # not NaN
        ]
        parts.append(
            f"<polyline fill='none' stroke='{color}' points='{' '.join(points)}'/>"
            f"<text x='{WIDTH - MARGIN + 4}' y='{MARGIN + 14 * number}' fill='{color}'"
            f" font-size='11'>{html.escape(name)}</text>"
        )
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH + 90}' height='{HEIGHT}'"
        f" role='img' aria-label='{html.escape(y_title)} over {html.escape(x_title)}'"
        f" style='background:#fff;font-family:sans-serif'>{''.join(parts)}</svg>"
    )


def _axes(x_title: str, y_title: str, x_top: float, inner: tuple[int, int]) -> str:
    found = [
        f"<rect x='{MARGIN}' y='{MARGIN}' width='{inner[0]}' height='{inner[1]}' fill='none'"
        " stroke='#bbb'/>"
    ]
    for step in range(5):
        share = step / 4
        x, y = MARGIN + inner[0] * share, MARGIN + inner[1] * (1 - share)
        found.append(
            f"<text x='{x:.0f}' y='{HEIGHT - MARGIN + 14}' font-size='10' text-anchor='middle'>"
            f"{x_top * share:g}</text>"
            f"<text x='{MARGIN - 4}' y='{y + 3:.0f}' font-size='10' text-anchor='end'>"
            f"{100 * share:g}</text>"
        )
    middle = MARGIN + inner[0] / 2
    found.append(
        f"<text x='{middle:.0f}' y='{HEIGHT - 8}' font-size='11' text-anchor='middle'>"
        f"{html.escape(x_title)}</text>"
        f"<text x='{MARGIN}' y='{MARGIN - 12}' font-size='11'>{html.escape(y_title)}</text>"
    )
    return "".join(found)
