"""The reliability picture: share of right findings against their confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibration.counts import WITHIN, Tenth
from reportgen.site.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(cores: tuple[Tenth, ...], gpus: tuple[Tenth, ...]) -> str:
    """SVG for light pages: cores to the left, GPUs to the right."""
    margins = style.Margins(left=0.75, bottom=0.6, top=0.75, right=0.25)
    with style.canvas(4.2, margins, columns=2) as (figure, panels):
        for axes, tenths, title in zip(panels, (cores, gpus), ("cores", "GPUs"), strict=True):
            _panel(axes, tenths)
            axes.set_title(title, fontsize=9, loc="left")
        panels[0].set_ylabel("share that is right")
        panels[1].set_yticklabels([])
        handles, labels = panels[0].get_legend_handles_labels()
        for handle, label in zip(*panels[1].get_legend_handles_labels(), strict=True):
            if label not in labels:
                handles.append(handle)
                labels.append(label)
        figure.legend(
            handles, labels, loc="upper left", ncols=4, frameon=False, fontsize=8.5, bbox_to_anchor=(0.0, 1.0)
        )
        return style.to_svg(figure)


def _panel(axes: Axes, tenths: tuple[Tenth, ...]) -> None:
    axes.set_xlim(0, 1.005)
    axes.set_ylim(-0.02, 1.02)
    ticks = [at / 10 for at in range(0, 11, 2)]
    labels = [f"{at:g}" for at in ticks]
    axes.set_xticks(ticks, labels)
    axes.set_yticks(ticks, labels)
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
    axes.set_xlabel("mean confidence of a tenth")
