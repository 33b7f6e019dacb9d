"""The reliability picture: share of right findings against their confidence."""

from __future__ import annotations

from calibration.counts import WITHIN, Tenth
from reportgen.site.figures import style


def draw(tenths: tuple[Tenth, ...]) -> str:
    """SVG for light pages."""
    with style.canvas(4.6, style.Margins(left=0.75, bottom=0.6, top=0.5, right=0.25)) as (figure, (axes,)):
        axes.set_xlim(0, 1.005)
        axes.set_ylim(-0.02, 1.02)
        ticks = [at / 10 for at in range(11)]
        labels = [f"{at:g}" for at in ticks]
        axes.set_xticks(ticks, labels)
        axes.set_yticks(ticks[::2], labels[::2])
        axes.grid()
        axes.fill_between(
            [0, 1], [-WITHIN, 1 - WITHIN], [WITHIN, 1 + WITHIN], color=style.GRID, linewidth=0,
            label=f"within {WITHIN * 100:.0f} points",
        )  # fmt: skip
        axes.plot([0, 1], [0, 1], color=style.SOFT, linewidth=1, label="share = confidence")
        for enough, stroke, name in (
            (True, style.LEVELS["l1"], "a tenth of the scale"),
            (False, style.LEVELS["dram"], "too few findings to tell"),
        ):
            some = [one for one in tenths if one.enough is enough]
            if not some:
                continue
            middle = [one.confidence for one in some]
            share = [one.right.value for one in some]
            ends = (
                [one.right.value - one.right.low for one in some],
                [one.right.high - one.right.value for one in some],
            )
            axes.errorbar(
                middle, share, yerr=ends, fmt=stroke.marker, color=stroke.colour, ecolor=style.INK,
                elinewidth=1.2, capsize=3, markersize=6, markerfacecolor=stroke.colour if enough else "none",
                label=name, zorder=3,
            )  # fmt: skip
        axes.set_xlabel("mean confidence of the findings of a tenth")
        axes.set_ylabel("share that is right")
        figure.legend(loc="upper left", ncols=4, frameon=False, fontsize=8.5, bbox_to_anchor=(0.0, 1.0))
        return style.to_svg(figure)
