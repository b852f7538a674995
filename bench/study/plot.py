#!/usr/bin/env python3
"""Draws the figures of bench_gjk_study as SVG and prints its tables as Markdown.

    plot.py study.json --figures FOLDER     writes fig7.svg, fig8.svg, ... into the folder
    plot.py study.json --tables             prints the tables

Standard library only. A figure whose rows are not in the file is left out.
"""

import argparse
import json
import math
import pathlib
import sys
from xml.sax.saxutils import escape

# Colours of Okabe and Ito, which colour-blind readers can tell apart.
COLOURS = ["#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
VARIANTS = ["gjk", "polyak", "nesterov", "nesterov_unnormalised"]
TITLES = {"gjk": "GJK", "polyak": "Polyak", "nesterov": "Nesterov, normalised",
          "nesterov_unnormalised": "Nesterov, not normalised", "default": "default"}
PANEL_WIDTH, PANEL_HEIGHT = 430, 300
LEFT, TOP, RIGHT, BOTTOM, LEGEND = 62, 40, 18, 52, 26


class Rows:
    """The rows of a result by their names."""

    def __init__(self, data):
        self.by_name = {row["name"]: row for row in data["benchmarks"]}

    def get(self, *parts):
        return self.by_name.get("/".join(parts))

    def children(self, *parts):
        """The next part of all names that start with these, in the order of the file."""
        prefix = "/".join(parts) + "/"
        seen = dict.fromkeys(name[len(prefix):].split("/")[0] for name in self.by_name if name.startswith(prefix))
        return list(seen)


def ticks(low, high, count=5):
    """Round numbers that divide the range."""
    step = 10 ** math.floor(math.log10(max(high - low, 1e-12) / count))
    step *= min((m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= count), default=10)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


class Panel:
    """One set of axes. The x axis has named places, since distances span four decades and both signs."""

    def __init__(self, title, x_title, y_title, places):
        self.title, self.x_title, self.y_title, self.places = title, x_title, y_title, places
        self.marks = []  # functions of the panel that give SVG
        self.low, self.high = 0.0, 0.0

    def x(self, place):
        return LEFT + (place + 0.5) * (PANEL_WIDTH - LEFT - RIGHT) / len(self.places)

    def y(self, value):
        value = min(max(value, self.low), self.high)
        return TOP + (self.high - value) / (self.high - self.low) * (PANEL_HEIGHT - TOP - BOTTOM)

    def line(self, points, colour, dashed=False):
        """points: (place, middle, lower, upper); a line through the middles over a band."""
        self.high = max([self.high] + [1.04 * p[3] for p in points])

        def draw(panel):
            up = " ".join(f"{panel.x(p[0]):.1f},{panel.y(p[3]):.1f}" for p in points)
            down = " ".join(f"{panel.x(p[0]):.1f},{panel.y(p[2]):.1f}" for p in reversed(points))
            middle = " ".join(f"{panel.x(p[0]):.1f},{panel.y(p[1]):.1f}" for p in points)
            dash = ' stroke-dasharray="6 4"' if dashed else ""
            dots = "".join(f'<circle cx="{panel.x(p[0]):.1f}" cy="{panel.y(p[1]):.1f}" r="2.6" fill="{colour}"/>'
                           for p in points)
            return (f'<polygon points="{up} {down}" fill="{colour}" fill-opacity="0.10"/>'
                    f'<polyline points="{middle}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>{dots}')

        self.marks.append(draw)

    def level(self, value):
        """A thin horizontal line."""
        self.marks.append(lambda panel: f'<line x1="{LEFT}" x2="{PANEL_WIDTH - RIGHT}" y1="{panel.y(value):.1f}" '
                                        f'y2="{panel.y(value):.1f}" stroke="#666" stroke-dasharray="3 3"/>')

    def box(self, place, offset, width, row, prefix, scale, colour):
        """Quartiles as a box with the median, 5 and 95 % as whiskers."""
        values = [row[f"{prefix}_p{q}"] * scale for q in ("05", "25", "50", "75", "95")]
        self.high = max(self.high, 1.04 * values[4])

        def draw(panel):
            centre = panel.x(place) + offset
            y05, y25, y50, y75, y95 = (panel.y(value) for value in values)
            return (f'<line x1="{centre:.1f}" x2="{centre:.1f}" y1="{y95:.1f}" y2="{y05:.1f}" stroke="{colour}"/>'
                    f'<rect x="{centre - width / 2:.1f}" y="{y75:.1f}" width="{width:.1f}" '
                    f'height="{max(y25 - y75, 0.5):.1f}" fill="{colour}" fill-opacity="0.35" stroke="{colour}"/>'
                    f'<line x1="{centre - width / 2:.1f}" x2="{centre + width / 2:.1f}" y1="{y50:.1f}" '
                    f'y2="{y50:.1f}" stroke="{colour}" stroke-width="2.5"/>')

        self.marks.append(draw)

    def svg(self, left, top):
        right, bottom = PANEL_WIDTH - RIGHT, PANEL_HEIGHT - BOTTOM
        parts = [f'<g transform="translate({left},{top})">',
                 f'<text x="{(LEFT + right) / 2}" y="{TOP - 14}" text-anchor="middle" font-weight="bold">'
                 f"{escape(self.title)}</text>"]
        for value in ticks(self.low, self.high):
            parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{self.y(value):.1f}" y2="{self.y(value):.1f}" '
                         f'stroke="#e4e4e4"/><text x="{LEFT - 7}" y="{self.y(value) + 4:.1f}" text-anchor="end">'
                         f"{value:g}</text>")
        for place, name in enumerate(self.places):
            parts.append(f'<line x1="{self.x(place):.1f}" x2="{self.x(place):.1f}" y1="{bottom}" y2="{bottom + 4}" '
                         f'stroke="#444"/><text x="{self.x(place):.1f}" y="{bottom + 18}" text-anchor="middle" '
                         f'font-size="11">{escape(name.replace("-", "−"))}</text>')
        parts += [mark(self) for mark in self.marks]
        parts.append(f'<path d="M{LEFT},{TOP} V{bottom} H{right}" fill="none" stroke="#444"/>'
                     f'<text x="{(LEFT + right) / 2}" y="{bottom + 40}" text-anchor="middle">{escape(self.x_title)}'
                     f'</text><text transform="translate(16,{(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">'
                     f"{escape(self.y_title)}</text></g>")
        return "\n".join(parts)


def write_figure(file, panels, legend):
    """Panels in rows of two above one legend of (text, colour)."""
    columns = min(len(panels), 2)
    lines = -(-len(panels) // columns)
    width = columns * PANEL_WIDTH
    per_line = 3 if columns == 2 else 2
    height = lines * PANEL_HEIGHT + LEGEND * -(-len(legend) // per_line) + 8
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#222">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for i, panel in enumerate(panels):
        parts.append(panel.svg(i % columns * PANEL_WIDTH, i // columns * PANEL_HEIGHT))
    for i, (text, colour) in enumerate(legend):
        x = 40 + i % per_line * (width - 60) / per_line
        y = lines * PANEL_HEIGHT + 14 + LEGEND * (i // per_line)
        parts.append(f'<rect x="{x:.0f}" y="{y - 6}" width="22" height="6" fill="{colour}"/>'
                     f'<text x="{x + 29:.0f}" y="{y + 1}">{escape(text)}</text>')
    file.write_text("\n".join(parts + ["</svg>\n"]), encoding="utf-8")


def gap_panel(rows, prefix, title, y_title, number, names, scale=1.0, band="deviation", without=()):
    """A number over the signed distance for some variants or choices; rows are prefix/<gap>/<name>."""
    gaps = sorted(rows.children(*prefix), key=float)
    panel = Panel(title, "signed distance (mm)", y_title, [f"{1e3 * float(gap):g}" for gap in gaps])
    for name, colour in zip(names, COLOURS):
        if name in without:
            continue
        points = []
        for place, gap in enumerate(gaps):
            row = rows.get(*prefix, gap, name)
            if row is None or number + "_mean" not in row:
                continue
            middle = row[number + "_mean"] * scale
            lower, upper = middle - row[number + "_deviation"] * scale, middle + row[number + "_deviation"] * scale
            if band == "none":
                lower = upper = middle
            if band == "quartiles":
                middle, lower, upper = (row[f"{number}_{p}"] * scale for p in ("p50", "p25", "p75"))
            points.append((place, middle, max(lower, 0.0), upper))
        if points:
            panel.line(points, colour)
    return panel


def legend_of(names, texts=None):
    return [((texts or TITLES).get(name, name), colour) for name, colour in zip(names, COLOURS)]


def draw_variants(rows, folder):
    """Figures 7, 9, 10 and 11."""
    if rows.children("fig7"):
        panels = [gap_panel(rows, ("fig7", query), text, "iterations", "iterations", VARIANTS)
                  for query, text in (("distance", "Ellipsoids: distance"), ("boolean", "Ellipsoids: yes or no"))]
        write_figure(folder / "fig7.svg", panels, legend_of(VARIANTS))
    for figure, query, text in (("fig9", "distance", "distance"), ("fig10", "boolean", "yes or no")):
        if rows.children("fig9", query):
            panels = [gap_panel(rows, ("fig9", query), f"Hulls: {text}", "iterations", "iterations", VARIANTS),
                      gap_panel(rows, ("fig9", query), f"Hulls: {text}", "time (µs)", "time_ns", VARIANTS, 1e-3)]
            write_figure(folder / f"{figure}.svg", panels, legend_of(VARIANTS))
    if rows.children("fig9"):
        panels = []
        for prefix, order in (("", "shuffled"), ("repeated_", "repeated in a row")):
            for query, text in (("distance", "distance"), ("boolean", "yes or no")):
                panel = gap_panel(rows, ("fig9", query), f"{text}, {order}", "time of GJK / time", prefix + "speedup",
                                  VARIANTS, band="quartiles", without=("gjk",))
                panel.level(1.0)
                panels.append(panel)
        write_figure(folder / "fig11.svg", panels, legend_of(VARIANTS)[1:])


def draw_choices(rows, folder):
    """Figure 8, and why: GJK of the papers with single choices changed."""
    normalisation = ["gjk", "polyak", "polyak, normalised", "nesterov", "nesterov, normalised"]
    schedules = ["gjk", "nesterov, normalised", "nesterov, normalised, heavy", "nesterov, normalised, heavy, gated",
                 "polyak, decaying"]
    smooth = ["gjk", "nesterov", "nesterov, gated", "nesterov, restart", "polyak, decaying"]
    for shapes, name, choices in (("hulls", "fig8", normalisation), ("hulls", "why_hulls", schedules),
                                  ("ellipsoids", "why_ellipsoids", smooth)):
        if not rows.children("why", shapes):
            continue
        panels = [gap_panel(rows, ("why", shapes, query), f"{shapes.capitalize()}: {text}", "iterations", "iterations",
                            choices, band="none" if name == "fig8" else "deviation")
                  for query, text in (("distance", "distance"), ("boolean", "yes or no"))]
        write_figure(folder / f"{name}.svg", panels, legend_of(choices, {}))


def draw_warm_starts(rows, folder):
    """Figure 13."""
    starts = rows.children("fig13")
    if not starts:
        return
    variants = VARIANTS + ["default"]
    panels = []
    for number, scale, text in (("time_ns", 1e-3, "time (µs)"), ("iterations", 1.0, "iterations")):
        panel = Panel("Trajectories: yes or no", "warm start", text, 
                      [start.replace("transformed_previous", "transformed") for start in starts])
        for place, start in enumerate(starts):
            for i, variant in enumerate(variants if number == "time_ns" else VARIANTS):
                row = rows.get("fig13", start, variant)
                if row is not None and number + "_p50" in row:
                    panel.box(place, (i - 2) * 15, 11, row, number, scale, COLOURS[i])
        panels.append(panel)
    write_figure(folder / "fig13.svg", panels, legend_of(variants))


def cell(row, number, scale=1.0, digits=1):
    if row is None or number + "_mean" not in row:
        return "–"
    return f"{row[number + '_mean'] * scale:.{digits}f} ± {row[number + '_deviation'] * scale:.{digits}f}"


def quartiles(row, number, scale):
    if row is None or number + "_p50" not in row:
        return "–"
    low, middle, high = (row[f"{number}_{p}"] * scale for p in ("p25", "p50", "p75"))
    return f"{middle:.2f} ({low:.2f}–{high:.2f})"


def print_table(title, head, lines):
    print(f"\n{title}\n\n| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for line in lines:
        print("| " + " | ".join("−" + text[1:] if text.startswith("-") else text for text in map(str, line)) + " |")


def print_tables(rows):
    def grid(prefix, number, names, scale=1.0, digits=1, key=None):
        children = sorted(rows.children(*prefix), key=key) if key else rows.children(*prefix)
        return [[child] + [cell(rows.get(*prefix, child, name), number, scale, digits) for name in names]
                for child in children]

    variants = VARIANTS + ["default"]
    heads = [TITLES[name] for name in variants]
    for query in ("distance", "boolean"):
        for figure, shapes in (("fig7", "ellipsoids"), ("fig9", "hulls")):
            if not rows.children(figure, query):
                continue
            print_table(f"Iterations, {shapes}, {query}", ["m"] + heads[:4],
                        grid((figure, query), "iterations", VARIANTS, key=float))
            print_table(f"Microseconds, {shapes}, {query}", ["m"] + heads,
                        grid((figure, query), "time_ns", variants, 1e-3, 2, key=float))
            print_table(f"Speed-up over GJK pair by pair, {shapes}, {query}", ["m"] + heads[1:],
                        grid((figure, query), "speedup", variants[1:], 1.0, 2, key=float))
    for query in ("distance", "boolean"):
        if rows.children("table1", query):
            print_table(f"Table I, {query}, microseconds", ["vertices"] + heads,
                        grid(("table1", query), "time_ns", variants, 1e-3, 2))
    if rows.children("fig13"):
        lines = [[start] + [quartiles(rows.get("fig13", start, name), "time_ns", 1e-3) for name in variants]
                 for start in rows.children("fig13")]
        print_table("Figure 13, microseconds: median (quartiles)", ["start"] + heads, lines)
        print_table("Figure 13, iterations", ["start"] + heads[:4], grid(("fig13",), "iterations", VARIANTS))
    methods = ["frank_wolfe", "nesmino"] + VARIANTS
    for shapes in rows.children("rss_table2"):
        lines = []
        for line in grid(("rss_table2", shapes), "iterations", methods):
            for i, method in enumerate(methods):
                missed = rows.get("rss_table2", shapes, line[0], method).get("not_converged", 0)
                line[i + 1] += f" ({missed:.0f} not converged)" if missed else ""
            lines.append(line)
        print_table(f"RSS table II, {shapes}, iterations", ["", "Frank-Wolfe", "NESMINO"] + heads[:4], lines)
    if rows.children("table2"):
        print_table("Table II, microseconds", ["vertices", "quadratic program"] + heads,
                    grid(("table2",), "time_ns", ["quadratic_program"] + variants, 1e-3, 2))
    for shapes in rows.children("why"):
        for query in rows.children("why", shapes):
            gaps = sorted(rows.children("why", shapes, query), key=float)
            lines = [[name] + [cell(rows.get("why", shapes, query, gap, name), "iterations") for gap in gaps]
                     for name in rows.children("why", shapes, query, gaps[0])]
            print_table(f"Choices, {shapes}, {query}, iterations", ["choice"] + gaps, lines)
    for query in rows.children("why", "hulls"):
        gaps = sorted(rows.children("why", "hulls", query), key=float)
        lines = [[name] + [cell(rows.get("why", "hulls", query, gap, name), "climbed_neighbours", 1.0, 0)
                           for gap in gaps]
                 for name in rows.children("why", "hulls", query, gaps[0]) if not name.startswith("library")]
        print_table(f"Choices, hulls, {query}, neighbours looked at by climbing supports", ["choice"] + gaps, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=pathlib.Path, help="JSON file of bench_gjk_study")
    parser.add_argument("--figures", type=pathlib.Path, help="folder for the SVG files; made when missing")
    parser.add_argument("--tables", action="store_true", help="print the tables")
    options = parser.parse_args()
    try:
        rows = Rows(json.loads(options.study.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{options.study}: {error}")
    if options.figures:
        options.figures.mkdir(parents=True, exist_ok=True)
        draw_variants(rows, options.figures)
        draw_choices(rows, options.figures)
        draw_warm_starts(rows, options.figures)
    if options.tables:
        print_tables(rows)


if __name__ == "__main__":
    main()
