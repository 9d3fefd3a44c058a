#!/usr/bin/env python3
# Copyright (c) 2026 llm-fabric contributors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Draw doc/figures/dcqcn-theory.png from what llm-fabric-congestion writes:

    llm-fabric-congestion --study=dcqcn-theory --seeds=3 --json=theory.json
    llm-fabric-congestion --study=join --cases=40:2 --measure=300ms --csv=join.csv
    traces/plot-dcqcn.py theory.json join.csv doc/figures/dcqcn-theory.png
"""

import argparse
import csv
import json

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "dcqcn-theory"  # the same file from the same data
matplotlib.rcParams["svg.fonttype"] = "none"
import matplotlib.pyplot as plt  # noqa: E402  (the backend has to be chosen before)

FLUID, HERE, OTHER = "#999999", "#1f6fb4", "#d95f02"


def draw_bars(axes, rows, keys, title):
    """Bars of a quantity for each case: fluid model, this simulation, another simulation."""
    width = 0.27
    labels = ("fluid fixed point", "llm-fabric", "other packet simulation")
    for place, (key, color, label) in enumerate(zip(keys, (FLUID, HERE, OTHER), labels)):
        xs = [i + (place - 1) * width for i in range(len(rows))]
        axes.bar(xs, [row.get(key, 0) for row in rows], width, color=color, label=label)
    axes.set_xticks(range(len(rows)))
    axes.set_xticklabels([row["case"].replace(" ", "\n") for row in rows], fontsize=8)
    axes.set_title(title, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)


def draw_join(rates, queue, rows):
    """Rates of two flows and the queue over time, from a little before the second one joins."""
    join = next(float(row["seconds"]) for row in rows if float(row["rate_gbps_1"]) < 39.9)
    rows = [row for row in rows if join - 0.02 <= float(row["seconds"]) <= join + 0.25]
    ms = [1000 * (float(row["seconds"]) - join) for row in rows]
    for flow, color in ((0, HERE), (1, OTHER)):
        values = [float(row[f"rate_gbps_{flow}"]) if t >= 0 or flow == 0 else None
                  for t, row in zip(ms, rows)]
        rates.plot(ms, values, color=color, linewidth=0.9, label=f"flow {flow}")
    rates.axhline(20, color=FLUID, linewidth=0.8, linestyle="--")
    rates.set_title("rates of two flows at 40 Gb/s, Gb/s", fontsize=10)
    rates.legend(fontsize=8, frameon=False)
    queue.plot(ms, [float(row["queue_kb"]) for row in rows], color=HERE, linewidth=0.7)
    queue.set_title("queue, KB", fontsize=10)
    for axes in (rates, queue):
        axes.set_xlabel("ms after flow 1 joins", fontsize=8)
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)


def main():
    """Read both files, draw four panels."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("theory", help="JSON of --study=dcqcn-theory")
    parser.add_argument("join", help="CSV of --study=join")
    parser.add_argument("figure", help="what to write, .svg or .png")
    options = parser.parse_args()
    with open(options.theory, encoding="utf-8") as file:
        rows = json.load(file)["dcqcn_theory"]
    with open(options.join, encoding="utf-8") as file:
        series = list(csv.DictReader(file))
    figure, panels = plt.subplots(2, 2, figsize=(8, 5.6))
    draw_bars(panels[0][0], rows, ("q_fluid", "q_kb", "q_packets"), "mean queue, KB")
    draw_bars(panels[0][1], rows, ("p_fluid", "p_percent", "p_packets"), "marked packets, %")
    panels[0][0].set_ylim(top=1.4 * panels[0][0].get_ylim()[1])  # room for the legend
    panels[0][0].legend(fontsize=8, frameon=False, loc="upper left")
    draw_join(panels[1][0], panels[1][1], series)
    for axes in panels.flat:
        axes.tick_params(labelsize=8)
    figure.tight_layout()
    figure.savefig(options.figure, metadata={"Date": None} if options.figure.endswith("svg") else None)


if __name__ == "__main__":
    main()
