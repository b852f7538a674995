#!/usr/bin/env python3
"""Draws the figures of bench_smooth as SVG and fills the tables of the document.

    plot_smooth.py study.json [more.json ...] --figures FOLDER     smooth-*.svg
    plot_smooth.py pictures.json --pictures FOLDER                 smooth-body-*.png, smooth-fit-*.png
    plot_smooth.py study.json [more.json ...] --document FILE.md   what is between <!-- table: NAME --> and <!-- end -->

Standard library only. What is not in the files is left out.
"""

import argparse
import json
import math
import pathlib
import re
import struct
import sys
import zlib
from xml.sax.saxutils import escape

sys.dont_write_bytecode = True  # plot.py beside this file is a program too
from plot import COLOURS, PANEL_HEIGHT, PANEL_WIDTH, Rows, write_figure  # noqa: E402

LEFT, TOP, RIGHT, BOTTOM = 62, 40, 18, 52
BODIES = ["ellipsoid", "superellipsoid", "double_cone", "double_pyramid", "cube1", "cube2", "cube3", "cylinder"]
TITLES = {"rtr": "trust region with proof", "gjk": "GJK with EPA", "rtr_coarse": "trust region with proof, 0.1 mm",
          "gjk_coarse": "GJK with EPA, 0.1 mm", "rtr_tcg": "trust region with proof, truncated CG",
          "rtr_local": "trust region, unproven", "paper": "the paper's: truncated CG, ε_g = 1e-4, unproven",
          "libccd": "libccd, 1e-8", "libccd_paper": "libccd, 1e-4", "fcl": "FCL", "polyak": "GJK, Polyak",
          "nesterov": "GJK, Nesterov, normalised", "nesterov_unnormalised": "GJK, Nesterov, not normalised",
          "hull_gjk": "hulls: GJK with EPA", "hull_default": "hulls: default", "hull_libccd": "hulls: libccd, 1e-8",
          "hull_fcl": "hulls: FCL",
          "fit_rtr": "fits: trust region with proof", "fit_rtr_coarse": "fits: the same, coarse",
          "fit_rtr_local": "fits: trust region, unproven", "fit_paper": "fits: the paper's, unproven",
          "default": "default"}
GAPS = ["-0.01", "0.001", "0.01", "0.1", "1"]


class Axes:
    """Axes of which either may be logarithmic; `marks` are drawn in their order. Fits write_figure of plot.py."""

    def __init__(self, title, x_title, y_title, log_x=False, log_y=True):
        self.title, self.titles, self.logs = title, (x_title, y_title), (log_x, log_y)
        self.limits = [[math.inf, -math.inf], [math.inf, -math.inf]]
        self.marks = []

    def scaled(self, axis, value):
        return math.log10(max(value, 1e-300)) if self.logs[axis] else value

    def reach(self, points):
        """The axes include these (x, y)."""
        for point in points:
            for axis in (0, 1):
                low, high = self.limits[axis]
                value = self.scaled(axis, point[axis])
                self.limits[axis] = [min(low, value), max(high, value)]

    def at(self, point):
        places = []
        for axis, (start, end) in enumerate(((LEFT, PANEL_WIDTH - RIGHT), (PANEL_HEIGHT - BOTTOM, TOP))):
            low, high = self.limits[axis]
            part = (self.scaled(axis, point[axis]) - low) / max(high - low, 1e-12)
            places.append(start + min(max(part, 0.0), 1.0) * (end - start))
        return places

    def cloud(self, points, colour):
        self.reach(points)

        def draw():
            path = "".join(f"M{x:.0f},{y:.0f}h0" for x, y in map(self.at, points))
            return f'<path d="{path}" stroke="{colour}" stroke-opacity="0.35" stroke-width="3" stroke-linecap="round"/>'

        self.marks.append(draw)

    def line(self, points, colour, dots=True, dashed=False):
        """points: (x, y) or (x, y, lower, upper)."""
        self.reach(points)
        self.reach((p[0], y) for p in points for y in p[2:])

        def draw():
            places = [self.at(p) for p in points]
            text = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            dash = ' stroke-dasharray="6 4"' if dashed else ""
            parts = [f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>']
            if dots:
                parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in places]
            if len(points[0]) == 4:
                edge = [self.at((p[0], p[3])) for p in points] + [self.at((p[0], p[2])) for p in reversed(points)]
                text = " ".join(f"{x:.1f},{y:.1f}" for x, y in edge)
                parts.insert(0, f'<polygon points="{text}" fill="{colour}" fill-opacity="0.12"/>')
            return "".join(parts)

        self.marks.append(draw)

    def ticks(self, axis):
        """(place on the axis, text)"""
        low, high = self.limits[axis]
        if self.logs[axis]:
            step = max(1, math.ceil((high - low) / 6))
            factors = (1,) if high - low > 1.5 else (1, 2, 5)
            exponents = range(math.floor(low), math.ceil(high) + 1, step)
            return [(factor * 10.0**e, f"{factor * 10.0**e:g}") for e in exponents
                    for factor in factors if low - 1e-9 <= e + math.log10(factor) <= high + 1e-9]
        step = 10 ** math.floor(math.log10((high - low) / 5))
        step *= min((m for m in (1, 2, 5) if (high - low) / (step * m) <= 6), default=10)
        numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        return [(i * step, f"{i * step:g}") for i in numbers]

    def svg(self, left, top):
        for axis in (0, 1):
            low, high = self.limits[axis]
            room = 0.04 * max(high - low, 1e-9)
            self.limits[axis] = [low - room if self.logs[axis] or low < 0.0 else max(0.0, low - room), high + room]
        right, bottom = PANEL_WIDTH - RIGHT, PANEL_HEIGHT - BOTTOM
        middle = (LEFT + right) / 2
        parts = [f'<g transform="translate({left},{top})"><text x="{middle}" y="{TOP - 14}" text-anchor="middle" '
                 f'font-weight="bold">{escape(self.title)}</text>']
        corner = [10.0**limits[0] if log else limits[0] for limits, log in zip(self.limits, self.logs)]
        for value, text in self.ticks(1):
            y = self.at((corner[0], value))[1]
            parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e4e4e4"/>'
                         f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end" font-size="11">{text}</text>')
        for value, text in self.ticks(0):
            x = self.at((value, corner[1]))[0]
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}" stroke="#444"/>'
                         f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" font-size="11">{text}</text>')
        parts += [mark() for mark in self.marks]
        parts.append(f'<path d="M{LEFT},{TOP} V{bottom} H{right}" fill="none" stroke="#444"/>'
                     f'<text x="{middle}" y="{bottom + 40}" text-anchor="middle">{escape(self.titles[0])}</text>'
                     f'<text transform="translate(14,{(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">'
                     f"{escape(self.titles[1])}</text></g>")
        return "\n".join(parts)


def legend_of(names):
    return [(TITLES[name], colour) for name, colour in zip(names, COLOURS)]


def draw_optimality(rows, folder):
    """Figure 5: a point a pose at one tolerance each, and the medians over all tolerances."""
    methods = [name for name in ("gjk", "rtr", "libccd") if rows.children("fig5", name)]
    if not methods:
        return
    panels = []
    for number, scale, text in (("iterations", 1.0, "iterations"), ("time_ns", 1e-3, "time (µs)")):
        panel = Axes(f"Optimality against {text}", text, "optimality (20)", log_x=True)
        for name, colour in zip(methods, COLOURS):
            points = [rows.get("fig5_points", name, i) for i in rows.children("fig5_points", name)]
            panel.cloud([(max(p[number] * scale, 1e-2), max(p["optimality"], 1e-16)) for p in points], colour)
        for name, colour in zip(methods, COLOURS):
            children = [rows.get("fig5", name, t) for t in sorted(rows.children("fig5", name), key=float, reverse=True)]
            panel.line([(row[number + "_p50"] * scale, 10 ** row["log10_optimality_p50"]) for row in children], colour)
        panels.append(panel)
    texts = dict(TITLES, libccd="libccd")
    write_figure(folder / "smooth-optimality.svg", panels, [(texts[m], colour) for m, colour in zip(methods, COLOURS)])


def draw_depth(rows, folder):
    """Figure 6."""
    methods = ["gjk", "rtr", "libccd_paper", "gjk_coarse"]
    panels = []
    for pair, text in (("cube1", "cube 1 – cube 1"), ("plain_ellipsoid", "ellipsoid – ellipsoid")):
        depths = sorted(rows.children("fig6", pair), key=float)
        if not depths:
            continue
        panel = Axes(text, "depth (m)", "time (µs)")
        for name, colour in zip(methods, COLOURS):
            found = [(float(depth), rows.get("fig6", pair, depth, name)) for depth in depths]
            points = [(x, *(row[f"time_ns_{q}"] * 1e-3 for q in ("p50", "p25", "p75"))) for x, row in found if row]
            if points:
                panel.line(points, colour)
        panels.append(panel)
    if panels:
        write_figure(folder / "smooth-depth.svg", panels, legend_of(methods))


def draw_fits(rows, folder):
    """Figure 8: a point a pair of bodies."""
    methods = ["hull_gjk", "fit_rtr", "hull_libccd", "fit_rtr_local", "hull_fcl"]
    panels = []
    for draw, text in (("random", "any depth"), ("shallow", "shallow")):
        panel = Axes(f"Meshes and fits, {text}", "vertices of both hulls", "mean time (µs)", log_x=True)
        for name, colour in zip(methods, COLOURS):
            found = [rows.get("fig8", draw, a, b, name) for a in rows.children("fig8", draw)
                     for b in rows.children("fig8", draw, a)]
            points = sorted((row["vertices"], row["time_ns_mean"] * 1e-3) for row in found if row)
            if points:
                panel.cloud(points, colour)
                half = len(points) // 4 or 1
                groups = [points[i:i + half] for i in range(0, len(points), half)]
                panel.line([(math.exp(sum(math.log(p[0]) for p in g) / len(g)), sum(p[1] for p in g) / len(g))
                            for g in groups], colour, dots=False)
        if panel.marks:
            panels.append(panel)
    if panels:
        write_figure(folder / "smooth-fitted.svg", panels, legend_of(methods))


def draw_apart(rows, folder):
    methods = ["gjk", "rtr", "nesterov_unnormalised", "polyak", "nesterov"]
    panels = []
    for name, text in (("table1", "Table I, distance"), ("ellipsoid_ellipsoid", "Ellipsoids, distance")):
        panel = Axes(text, "gap (m)", "time (µs)", log_x=True)
        for method, colour in zip(methods, COLOURS):
            found = [(float(gap), rows.get("apart", name, "distance", gap, method)) for gap in GAPS[1:]]
            points = [(gap, *(row[f"time_ns_{q}"] * 1e-3 for q in ("p50", "p25", "p75"))) for gap, row in found if row]
            if points:
                panel.line(points, colour)
        if panel.marks:
            panels.append(panel)
    if panels:
        write_figure(folder / "smooth-apart.svg", panels, legend_of(methods))


# Pictures: convex bodies need no depth buffer, only the facets that face the viewer.

VIEW = (0.60, -0.62, 0.51)
LIGHT = (0.25, -0.75, 0.62)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    length = math.sqrt(dot(a, a))
    return tuple(x / length for x in a) if length > 0 else a


class Canvas:
    """Grey and a little colour: pixels of (r, g, b), drawn at twice the size and averaged."""

    def __init__(self, size):
        self.size = 2 * size
        self.pixels = [[(255, 255, 255)] * self.size for _ in range(self.size)]

    def triangle(self, corners, shades, tint):
        """corners: (x, y) in pixels; shades in 0 … 1, interpolated."""
        (x0, y0), (x1, y1), (x2, y2) = corners
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if abs(area) < 1e-9:
            return
        rows = range(max(0, math.floor(min(y0, y1, y2))), min(self.size - 1, math.ceil(max(y0, y1, y2))) + 1)
        columns = range(max(0, math.floor(min(x0, x1, x2))), min(self.size - 1, math.ceil(max(x0, x1, x2))) + 1)
        for y in rows:
            for x in columns:
                w1 = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / area
                w2 = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / area
                w0 = 1.0 - w1 - w2
                if min(w0, w1, w2) >= -1e-6:
                    shade = w0 * shades[0] + w1 * shades[1] + w2 * shades[2]
                    self.pixels[y][x] = tuple(int(255 * min(1.0, shade * t)) // 8 * 8 for t in tint)

    def write(self, file):
        half = self.size // 2
        lines = []
        for y in range(half):
            line = bytearray([0])
            for x in range(half):
                four = [self.pixels[2 * y + i][2 * x + j] for i in (0, 1) for j in (0, 1)]
                line += bytes(sum(p[k] for p in four) // 4 for k in range(3))
            lines.append(bytes(line))

        def chunk(kind, data):
            body = kind + data
            return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

        header = struct.pack(">IIBBBBB", half, half, 8, 2, 0, 0, 0)
        file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                         chunk(b"IDAT", zlib.compress(b"".join(lines), 9)) + chunk(b"IEND", b""))


def shade_of(normal):
    return 0.38 + 0.62 * max(0.0, dot(normal, unit(LIGHT)))


def draw_triangles(file, triangles, tint, radius, size=200):
    """triangles: three (point, normal) each."""
    view = unit(VIEW)
    right = unit(cross((0.0, 0.0, 1.0), view))
    up = cross(view, right)
    canvas = Canvas(size)
    scale = 0.94 * size / radius

    def place(point):
        return (size + scale * dot(point, right), size - scale * dot(point, up))

    for triangle in triangles:
        if any(dot(normal, view) > 0.0 for _, normal in triangle):
            canvas.triangle([place(p) for p, _ in triangle], [shade_of(n) for _, n in triangle], tint)
    canvas.write(file)


def draw_pictures(rows, folder):
    for name in rows.children("picture"):
        grid = {}
        for i in rows.children("picture", name):
            for j in rows.children("picture", name, i):
                row = rows.get("picture", name, i, j)
                grid[int(i), int(j)] = ((row["x"], row["y"], row["z"]), (row["nx"], row["ny"], row["nz"]))
        radius = max(math.sqrt(dot(p, p)) for p, _ in grid.values())
        triangles = []
        for i, j in grid:
            if (i + 1, j + 1) in grid:
                a, b, c, d = grid[i, j], grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]
                triangles += [(a, b, c), (a, c, d)]
        is_fit = name.startswith("fit_")
        file = f"smooth-fit-{name[4:]}.png" if is_fit else f"smooth-body-{name}.png"
        draw_triangles(folder / file, triangles, (0.72, 0.86, 1.0) if is_fit else (1.0, 0.93, 0.78), radius)
        hull = name[4:] if is_fit else ""
        flat = []
        for i in rows.children("picture_hull", hull) if hull else ():
            row = rows.get("picture_hull", hull, i)
            points = [tuple(row[axis + str(k)] for axis in "xyz") for k in range(3)]
            normal = unit(cross(*(tuple(points[k][c] - points[0][c] for c in range(3)) for k in (1, 2))))
            flat.append(tuple((p, normal) for p in points))
        if flat:
            draw_triangles(folder / f"smooth-fit-{hull}-mesh.png", flat, (0.9, 0.9, 0.9), radius)


# Tables.


def table(head, lines):
    text = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(text + ["| " + " | ".join(map(str, line)) + " |" for line in lines])


def number(value):
    """Three digits, no more."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def microseconds(row, which="mean"):
    return number(row[f"time_ns_{which}"] * 1e-3)


def table_methods(rows, draw):
    lines = []
    for name in ("rtr", "rtr_tcg", "rtr_local", "paper", "rtr_coarse", "gjk", "gjk_coarse", "libccd", "libccd_paper"):
        row = rows.get("table2_all", draw, name)
        if row:
            lines.append([TITLES[name], microseconds(row), microseconds(row, "p50"), number(row["iterations_mean"]),
                          number(10 ** row["log10_optimality_p50"]), number(row["excess_p50"]),
                          number(row["excess_p95"]), *(percent(row[key], row["queries"]) for key in
                          ("off_micrometre", "off_millimetre", "not_converged"))])
    return table(["", "mean µs", "median µs", "iterations", "optimality (20)", "excess, median (m)", "excess, 95 % (m)",
                  "off > 1 µm", "off > 1 mm", "not converged"], lines)


def table_grid(rows, draw, suffix):
    """The paper's table II."""
    lines = []
    for i, a in enumerate(BODIES):
        line = [a.replace("_", " ")]
        for j, b in enumerate(BODIES):
            pair = [rows.get("table2", draw, a, b, name + suffix) for name in ("gjk", "rtr")] if j >= i else [None]
            line.append(f"{microseconds(pair[0])} / {microseconds(pair[1])} "
                        f"(×{number(pair[0]['time_ns_mean'] / pair[1]['time_ns_mean'])})" if pair[0] else "")
        lines.append(line)
    return table(["mean µs"] + [b.replace("_", " ") for b in BODIES], lines)


def table_ellipsoid(rows):
    lines = []
    for name in ("rtr", "rtr_tcg", "paper", "gjk", "gjk_coarse", "libccd", "libccd_paper", "fcl"):
        found = [rows.get("table2", draw, "plain_ellipsoid", "plain_ellipsoid", name) for draw in ("random", "shallow")]
        if found[0]:
            lines.append([TITLES[name]] + [text for row in found for text in
                         (microseconds(row), percent(row["off_micrometre"], row["queries"]),
                          percent(row["off_millimetre"], row["queries"]))])
    return table(["", "any depth, mean µs", "off > 1 µm", "off > 1 mm", "shallow, mean µs", "off > 1 µm", "off > 1 mm"],
                 lines)


def percent(part, whole):
    if part in (0, whole):
        return "0" if part == 0 else "100 %"
    return f"{100.0 * part / whole:.{2 if part < 0.99 * whole else 4}g} %"


def table_minima(rows):
    lines = []
    for draw, text in (("random", "any depth"), ("shallow", "shallow")):
        row = rows.get("minima_all", draw)
        if row:
            n = row["poses"]
            lines.append([text, f"{n:.0f}", percent(row["local_wrong"], n), percent(row["local_wrong_tcg"], n),
                          percent(row["ball_accepted"], n), percent(row["proofs"], n),
                          number(row.get("proof_evaluations_mean", 0.0)), percent(row["unproven"], n),
                          f"{row['ball_wrong']:.0f}", f"{row['complete_wrong']:.0f}"])
    return table(["draw", "poses", "local minimum, exact", "local minimum, truncated CG", "accepted by the ball",
                  "polytope", "evaluations there", "left unproven", "ball wrong", "complete solver wrong"], lines)


def table_minima_pairs(rows, draw):
    lines = []
    for i, a in enumerate(BODIES):
        line = [a.replace("_", " ")]
        for j, b in enumerate(BODIES):
            row = rows.get("minima", draw, a, b) if j >= i else None
            line.append(f"{100 * row['local_wrong'] / row['poses']:.3g} / "
                        f"{100 * row['proofs'] / row['poses']:.3g}" if row else "")
        lines.append(line)
    return table(["% local / % polytope"] + [b.replace("_", " ") for b in BODIES], lines)


def table_fits(rows):
    lines = []
    for name in rows.children("fit"):
        row = rows.get("fit", name)
        lines.append([name, f"{row['vertices']:.0f}", f"{row['points']:.0f}", number(row["sharpness"]),
                      number(1e3 * row["size"]), number(1e3 * row["rms"]), number(1e3 * row["outside"]),
                      number(1e3 * row["inside"]), f"{row['volume_ratio']:.3f}"])
    return table(["body", "vertices", "points", "β", "size (mm)", "rms (mm)", "fit outside hull (mm)",
                  "hull outside fit (mm)", "volume of fit / hull"], lines)


def table_fitted_times(rows):
    lines = []
    for name in ("fit_rtr", "fit_rtr_coarse", "fit_rtr_local", "fit_paper", "hull_gjk", "hull_default", "hull_libccd",
                 "hull_fcl"):
        line = [TITLES[name]]
        for draw in ("random", "shallow"):
            found = [rows.get("fig8", draw, a, b, name) for a in rows.children("fig8", draw)
                     for b in rows.children("fig8", draw, a)]
            found = [row for row in found if row]
            if found:
                mean = sum(row["time_ns_mean"] for row in found) / len(found)
                medians = [row["time_ns_p50"] for row in found if "time_ns_p50" in row]
                wrong = sum(row["off_millimetre"] for row in found) / sum(row["queries"] for row in found)
                line += [number(mean * 1e-3), number(sum(medians) / len(medians) * 1e-3) if medians else "–",
                         percent(wrong, 1.0)]
        if len(line) > 1:
            lines.append(line)
    return table(["", "any depth, mean µs", "median µs", "off > 1 mm", "shallow, mean µs", "median µs", "off > 1 mm"],
                 lines)


def table_warm(rows):
    lines = []
    for name in rows.children("warm"):
        for motion in rows.children("warm", name):
            line = [name.replace("_", " "), motion.replace("_", " ")]
            for solver in ("rtr", "gjk"):
                for start in ("cold", "warm"):
                    row = rows.get("warm", name, motion, solver, start)
                    line.append(f"{number(row['time_ns_p50'])} ({row['iterations_mean']:.1f})")
            lines.append(line)
    return table(["pairs", "motion", "rtr, cold: ns (iterations)", "rtr, warm", "GJK and EPA, cold",
                  "GJK and EPA, warm"], lines)


def table_apart(rows, query):
    methods = (["rtr", "gjk", "polyak", "nesterov", "nesterov_unnormalised", "rtr_coarse", "gjk_coarse"]
               if query == "distance" else ["rtr", "gjk", "polyak", "default"])
    lines = []
    for name in rows.children("apart"):
        for gap in GAPS:
            found = [rows.get("apart", name, query, gap, method) for method in methods]
            if found[0]:
                times = [number(row["time_ns_p50"]) for row in found]
                lines.append([name.replace("_", " "), gap.replace("-", "−")] + times)
    return table(["pairs", "gap (m)"] + [TITLES[name] for name in methods], lines)


TABLES = {"methods-random": lambda rows: table_methods(rows, "random"),
          "methods-shallow": lambda rows: table_methods(rows, "shallow"),
          "grid-random": lambda rows: table_grid(rows, "random", ""),
          "grid-shallow": lambda rows: table_grid(rows, "shallow", ""),
          "grid-shallow-coarse": lambda rows: table_grid(rows, "shallow", "_coarse"),
          "ellipsoid": table_ellipsoid, "minima": table_minima,
          "minima-pairs": lambda rows: table_minima_pairs(rows, "random"),
          "fits": table_fits, "fitted-times": table_fitted_times, "warm": table_warm,
          "apart": lambda rows: table_apart(rows, "distance"),
          "boolean": lambda rows: table_apart(rows, "boolean")}


def fill(document, rows):
    def filled(match):
        name = match.group(1)
        return f"<!-- table: {name} -->\n\n{TABLES[name](rows)}\n\n<!-- end -->"

    text = document.read_text(encoding="utf-8")
    document.write_text(re.sub(r"<!-- table: ([\w-]+) -->.*?<!-- end -->", filled, text, flags=re.S), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=pathlib.Path, nargs="+", help="JSON files of bench_smooth")
    parser.add_argument("--figures", type=pathlib.Path, help="folder for the SVG files; made when missing")
    parser.add_argument("--pictures", type=pathlib.Path, help="folder for the PNG files; made when missing")
    parser.add_argument("--document", type=pathlib.Path, help="Markdown file whose tables are filled")
    options = parser.parse_args()
    try:
        rows = Rows({"benchmarks": [row for file in options.study
                                    for row in json.loads(file.read_text(encoding="utf-8"))["benchmarks"]]})
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"not a result of bench_smooth: {error}")
    for folder in (options.figures, options.pictures):
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    if options.figures:
        draw_optimality(rows, options.figures)
        draw_depth(rows, options.figures)
        draw_fits(rows, options.figures)
        draw_apart(rows, options.figures)
    if options.pictures:
        draw_pictures(rows, options.pictures)
    if options.document:
        fill(options.document, rows)


if __name__ == "__main__":
    main()
