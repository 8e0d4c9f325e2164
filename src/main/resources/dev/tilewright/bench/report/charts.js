// Draws the page's charts with Apache ECharts, as SVG: what is drawn is in the element "charts", as JSON. Every figure
// has a table beside it that says the same, so nothing is lost where no script runs.
"use strict";
(() => {
    const charts = JSON.parse(document.getElementById("charts").textContent);
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const print = window.matchMedia("print");

    // Eight hues that people with any colour vision tell apart, at least 3 : 1 against the page: light, then dark. Found
    // by a search, and held by ChartHuesTest.
    // Series beyond them have the hues again with other symbols; dashed are others' and limits alone.
    const HUES = [
        ["#0067a8", "#57b5ee"], ["#c24e00", "#ff9254"], ["#9922ff", "#ff1166"], ["#991111", "#119999"],
        ["#dd7700", "#996611"], ["#995566", "#5566bb"], ["#334477", "#9900ff"], ["#bb77bb", "#9977ee"]];
    const SYMBOLS = ["circle", "rect", "triangle", "diamond", "path://M0 0h10l-5 9z",
        "path://M4 0h3v4h4v3h-4v4h-3v-4h-4v-3h4z", "path://M3 0h5l3 5-3 5h-5l-3-5z"];
    // Viridis, from little to much; dark pages use the same, as its cells carry their own text colour.
    const SEQUENCE = ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"];

    const night = () => dark.matches && !print.matches;
    const hue = i => HUES[i % HUES.length][night() ? 1 : 0];
    const ink = () => night()
        ? { text: "#e6e9ee", soft: "#b2bac6", line: "#39414d", ground: "#171b21", strong: "#ffffff" }
        : { text: "#1b222b", soft: "#4c5764", line: "#dbe0e6", ground: "#ffffff", strong: "#000000" };

    const SIZES = ["B", "KiB", "MiB", "GiB", "TiB"];
    function bytes(value) {
        let i = 0;
        while (value >= 1024 && i < SIZES.length - 1) {
            value /= 1024;
            i++;
        }
        return `${Number(value.toPrecision(3))} ${SIZES[i]}`;
    }
    function number(value) {
        const size = Math.abs(value);
        return size >= 1e12 ? value.toExponential(3)
            : value.toLocaleString("en-US", size >= 1000 ? { maximumFractionDigits: 0 }
            : { maximumSignificantDigits: 4 });
    }
    const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];
    function decades(value) {
        let i = 0;
        while (value >= 1000 && i < PREFIXES.length - 1) {
            value /= 1000;
            i++;
        }
        return `${Number(value.toPrecision(3))}${i > 0 ? ` ${PREFIXES[i]}` : ""}`;
    }
    const onAxis = axis => ({ BYTES: exponent => bytes(2 ** exponent), DECADES: decades })[axis.scale]
        || (value => Math.abs(value) >= 1e5 ? decades(value) : number(value));
    const place = (axis, value) => axis.scale === "BYTES" ? Math.log2(value) : value;

    // An axis from one value to another in steps of 1, 2 or 5 times a power of ten, at most so many of them.
    function steps(from, to, most) {
        const raw = (to - from) / most || 1;
        const power = 10 ** Math.floor(Math.log10(raw));
        const interval = power * [1, 2, 5, 10].find(m => m * power >= raw * 0.999999);
        const whole = value => Number((value * interval).toPrecision(12));
        return { interval, min: whole(Math.floor(from / interval + 1e-9)),
            max: whole(Math.ceil(to / interval - 1e-9)) };
    }

    function look(series, i) {
        const colours = ink();
        if (series.role === "BASELINE") {
            return { color: colours.text, width: 2.5, type: "dashed", symbol: "none", size: 0, hollow: false };
        }
        const symbol = SYMBOLS[(i + Math.floor(i / HUES.length)) % SYMBOLS.length];
        const rival = series.role === "RIVAL";
        return { color: hue(i), width: rival ? 1.5 : 2, type: rival ? "dashed" : "solid",
            symbol, size: 8, hollow: rival };
    }

    function axis(chart, which, more) {
        const colours = ink();
        const of = chart[which];
        return Object.assign({
            type: of.scale === "DECADES" ? "log" : "value",
            name: of.title,
            nameTextStyle: { color: colours.soft, fontSize: 12 },
            axisLabel: { color: colours.soft, fontSize: 12, hideOverlap: true, formatter: onAxis(of) },
            axisLine: { show: true, lineStyle: { color: colours.line } },
            axisTick: { show: false },
            splitLine: { lineStyle: { color: colours.line, opacity: 0.7 } },
        }, more);
    }

    function tooltip(more) {
        const colours = ink();
        return Object.assign({ confine: true, backgroundColor: colours.ground, borderColor: colours.line,
            textStyle: { color: colours.text, fontSize: 13 } }, more);
    }

    const common = () => ({ animation: false, textStyle: { fontFamily: "system-ui, sans-serif" } });

    function marks(levels, unit, vertical, silent, most) {
        const colours = ink();
        return { symbol: "none", silent: true, animation: false, lineStyle: { color: colours.soft, width: 1.5,
            type: [2, 4] },
            data: levels.map((l, i) => ({ [vertical ? "xAxis" : "yAxis"]: l.value,
                label: Object.assign({ show: !silent,
                formatter: `${l.name}: ${number(l.value)}${unit ? ` ${unit}` : ""}`, color: colours.soft,
                    fontSize: 12 }, vertical ? { position: "end", distance: [4, 4 + 17 * i],
                        align: l.value > most / 2 ? "right" : "left" }
                    : { position: "insideStartTop" }) })) };
    }

    function lines(chart, width) {
        const colours = ink();
        const xs = chart.series.flatMap(s => s.points.map(p => place(chart.x, p.x)));
        const ys = chart.series.flatMap(s => s.points.map(p => p.y)).concat(chart.levels.map(l => l.value));
        const format = onAxis(chart.x);
        const least = Math.min(...xs);
        const most = Math.max(...xs);
        const ratios = chart.y.scale === "RATIO";
        const interval = Math.max(1, Math.ceil((most - least) / (width / 80)));
        return Object.assign(common(), {
            grid: { left: 8, right: 26, top: 34, bottom: 30, containLabel: true },
            xAxis: axis(chart, "x", { min: least, max: most, nameLocation: "middle", nameGap: 30,
                interval: chart.x.scale === "BYTES" ? interval : undefined,
                axisLabel: { color: colours.soft, fontSize: 12, hideOverlap: true, formatter: format,
                    showMaxLabel: (most - least) % interval === 0 } }),
            yAxis: axis(chart, "y", { ...chart.y.scale === "DECADES"
            ? { min: 10 ** Math.floor(Math.log10(Math.min(...ys))) }
                : steps(ratios ? Math.min(...ys) : 0, Math.max(...ys), 6),
                axisLabel: { color: colours.soft, fontSize: 12, hideOverlap: true,
                    formatter: ratios ? v => v.toFixed(2) : onAxis(chart.y) },
                nameLocation: "end", nameTextStyle: { align: "left", color: colours.soft, fontSize: 12 } }),
            legend: { show: false },
            tooltip: tooltip({ trigger: "axis", formatter: all => `<b>${escape(format(all[0].value[0]))}</b>`
                + all.slice().sort((a, b) => b.value[1] - a.value[1])
                .map(p => `<br>${p.marker}${escape(p.seriesName)}: `
                    + `<b>${escape(number(p.value[1]))}</b> ${escape(chart.y.unit)}`
                    + (p.value[2] ? ` <small>${escape(p.value[2])}</small>` : "")).join("") }),
            series: chart.series.map((s, i) => {
                const l = look(s, i);
                return { name: s.name, type: "line", data: s.points.map(p => [place(chart.x, p.x), p.y, p.note]),
                    symbol: l.symbol, symbolSize: l.size, showAllSymbol: true, z: s.role === "BASELINE" ? 5 : 3,
                    lineStyle: { color: l.color, width: l.width, type: l.type },
                    itemStyle: { color: l.hollow ? colours.ground : l.color, borderColor: l.color, borderWidth: 1.5 },
                    emphasis: { focus: "series" } };
            }).concat([{ type: "line", name: "", data: [], markLine: marks(chart.levels, chart.y.unit, false,
                ratios) }]),
        });
    }

    const barColour = role => role === "BASELINE" ? ink().soft : hue(role === "OURS" ? 0 : 1);

    // What stands in the lines of a bar chart, from the top: the name of each group and its bars, or, where every group
    // has one bar alone, that with the group's name.
    function barLines(chart) {
        const groups = new Map();
        chart.bars.forEach(b => groups.set(b.group, [...groups.get(b.group) || [], b]));
        const alone = [...groups.values()].every(some => some.length === 1);
        return [...groups].flatMap(([group, some]) => alone
            ? [{ ...some[0], name: some[0].role === "OURS" ? group : `${group}, ${some[0].name}` }]
            : [{ heading: group }, ...some]);
    }

    function wrapped(text, width) {
        const most = Math.floor(width / 7.4);
        if (text.length <= most) {
            return text;
        }
        const cut = text.lastIndexOf(" ", most);
        return cut <= 0 ? text : `${text.slice(0, cut)}\n${text.slice(cut + 1)}`;
    }

    function bars(chart, width) {
        const colours = ink();
        const all = barLines(chart).reverse();
        const unit = chart.x.unit ? ` ${chart.x.unit}` : "";
        const halo = { textBorderColor: colours.ground, textBorderWidth: 3, fontSize: 13 };
        const scale = steps(0, Math.max(...chart.bars.map(b => b.value), ...chart.levels.map(l => l.value)), width < 600
            ? 4 : 8);
        // The value comes first, so that a name that is too long for the width does not hide it.
        const format = b => b.heading !== undefined ? "{x| }\n" + wrapped(b.heading, width - 30).split("\n")
            .map(l => `{h|${l}}`).join("\n")
            : `{v|${number(b.value)}${unit}}  {n|${b.name}}` + (b.note && width >= 560 ? `  {s|${b.note}}` : "");
        return Object.assign(common(), {
            grid: { left: 10, right: 20, top: 12 + 18 * chart.levels.length, bottom: 46 },
            xAxis: axis(chart, "x", { nameLocation: "middle", nameGap: 26, ...scale }),
            yAxis: { type: "category", data: all.map((b, i) => String(i)), axisLine: { show: false },
                axisTick: { show: false }, splitLine: { show: false },
                axisLabel: { inside: true, margin: 0, padding: [0, 0, 30, 0], fontSize: 13, color: colours.text,
                    interval: 0, width: width - 30, overflow: "truncate", formatter: (_, i) => format(all[i]),
                    rich: { n: { ...halo, color: colours.text }, v: { ...halo, color: colours.strong, fontWeight: 700 },
                        s: { ...halo, color: colours.soft, fontSize: 12 },
                        h: { ...halo, color: colours.soft, fontWeight: 700, lineHeight: 16 }, x: { fontSize: 4,
                        lineHeight: 18 } } }, z: 10 },
            tooltip: tooltip({ trigger: "item", formatter: p => `${escape(all[p.dataIndex].group)}<br>`
                + `${escape(all[p.dataIndex].name)}: <b>${escape(number(all[p.dataIndex].value))}</b>${escape(unit)}`
                + (all[p.dataIndex].note ? `<br>${escape(all[p.dataIndex].note)}` : "") }),
            series: [{ type: "bar", barWidth: 9, markLine: marks(chart.levels, chart.x.unit, true, false, scale.max),
                data: all.map(b => b.heading !== undefined ? null : { value: b.value, itemStyle: {
                    borderRadius: [0, 3, 3, 0], color: barColour(b.role),
                    decal: b.role === "RIVAL" ? { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 3],
                    rotation: -0.8,
                        color: night() ? "rgba(0,0,0,.45)" : "rgba(255,255,255,.55)" } : { symbol: "none" } } }) }],
        });
    }

    function luminance(hex) {
        const [r, g, b] = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)
            .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }

    function shade(value, least, most) {
        const at = most > least ? (value - least) / (most - least) * (SEQUENCE.length - 1) : SEQUENCE.length - 1;
        const i = Math.min(SEQUENCE.length - 2, Math.floor(at));
        const mix = [1, 3, 5].map(k => Math.round(parseInt(SEQUENCE[i].slice(k, k + 2), 16) * (1 - at + i)
            + parseInt(SEQUENCE[i + 1].slice(k, k + 2), 16) * (at - i)));
        return "#" + mix.map(c => c.toString(16).padStart(2, "0")).join("");
    }

    function heat(chart, width) {
        const colours = ink();
        const values = chart.cells.map(c => c.value);
        const least = Math.min(...values);
        const most = Math.max(...values);
        const left = 12 + 8 * Math.max(...chart.ys.map(y => y.length));
        const written = (width - left - 20) / chart.xs.length >= 34;
        return Object.assign(common(), {
            grid: { left, right: 12, top: 26, bottom: 100 },
            xAxis: { type: "category", data: chart.xs, name: chart.x.title, nameLocation: "middle", nameGap: 28,
                nameTextStyle: { color: colours.soft, fontSize: 12 }, axisTick: { show: false },
                axisLine: { lineStyle: { color: colours.line } },
                axisLabel: { color: colours.soft, fontSize: 12, hideOverlap: true } },
            yAxis: { type: "category", data: chart.ys, inverse: true, name: chart.y.title, nameLocation: "start",
                nameTextStyle: { align: "left", color: colours.soft, fontSize: 12, padding: [0, 0, 0, 8 - left] },
                axisTick: { show: false }, axisLine: { lineStyle: { color: colours.line } },
                axisLabel: { color: colours.soft, fontSize: 12, interval: 0 } },
            visualMap: { type: "continuous", dimension: 2, min: least, max: most > least ? most : least + 1,
            calculable: false,
                orient: "horizontal", left: "center", bottom: 4, itemWidth: 12, itemHeight: Math.min(220, width - 190),
                inRange: { color: SEQUENCE }, text: [`${number(most)} ${chart.unit}`, number(least)],
                textStyle: { color: colours.soft, fontSize: 12 } },
            tooltip: tooltip({ trigger: "item",
            formatter: p => `${escape(chart.y.title)} ${escape(chart.ys[p.value[1]])}, `
                + `${escape(chart.x.title)} ${escape(chart.xs[p.value[0]])}<br><b>${escape(number(p.value[2]))}</b> `
                + `${escape(chart.unit)}${p.value[3] ? `<br>${escape(p.value[3])}` : ""}` }),
            series: [{ type: "heatmap", data: chart.cells.slice().sort((a, b) => a.value - b.value)
            .map(c => ({ value: [c.x, c.y, c.value, c.note],
                    label: { color: luminance(shade(c.value, least, most)) > 0.179 ? "#000000" : "#ffffff" },
                    itemStyle: c.value === most ? { borderColor: colours.strong, borderWidth: 2.5 } : {} })),
                label: { show: written, fontSize: 12, formatter: p => number(p.value[2]) },
                itemStyle: { borderColor: colours.ground, borderWidth: 1.5 } }],
        });
    }

    function roofline(chart) {
        const colours = ink();
        const xs = chart.series.flatMap(s => s.points.map(p => p.x));
        const ys = chart.series.flatMap(s => s.points.map(p => p.y));
        const low = 10 ** Math.floor(Math.log10(Math.min(...xs)));
        const ridge = chart.peaks.length ? Math.max(...chart.peaks.map(p => p.value)) / chart.bandwidth : 0;
        const high = 10 ** Math.ceil(Math.log10(Math.max(...xs, ridge) * 1.5));
        const top = chart.peaks.length ? Math.max(...chart.peaks.map(p => p.value)) : high * chart.bandwidth;
        const roof = { name: chart.bandwidthName, type: "line", symbol: "none", silent: true, z: 2,
            lineStyle: { color: colours.text, width: 2 }, itemStyle: { color: colours.text },
            data: [[low, low * chart.bandwidth], [Math.min(high, top / chart.bandwidth),
            Math.min(high * chart.bandwidth, top)]] };
        const peaks = chart.peaks.map(p => ({ name: p.name, type: "line", symbol: "none", silent: true, z: 2,
            lineStyle: { color: colours.soft, width: 2, type: "dashed" }, itemStyle: { color: colours.soft },
            data: [[p.value / chart.bandwidth, p.value], [high, p.value]],
            endLabel: { show: true, formatter: p.name, color: colours.soft, fontSize: 12, align: "right",
            offset: [-2, -10] } }));
        return Object.assign(common(), {
            grid: { left: 8, right: 26, top: 34, bottom: 30, containLabel: true },
            xAxis: axis(chart, "x", { min: low, max: high, nameLocation: "middle", nameGap: 30 }),
            yAxis: axis(chart, "y", { min: 10 ** Math.floor(Math.log10(Math.min(...ys, low * chart.bandwidth))),
                max: 10 ** Math.ceil(Math.log10(top * 1.05)), nameLocation: "end",
                nameTextStyle: { align: "left", color: colours.soft, fontSize: 12 } }),
            legend: { show: false },
            tooltip: tooltip({ trigger: "item",
            formatter: p => `${escape(p.seriesName)}${p.value[2] ? `<br>${escape(p.value[2])}` : ""}`
                + `<br><b>${escape(decades(p.value[1]))}${escape(chart.y.unit)}</b> at `
                + `${escape(number(p.value[0]))} ${escape(chart.x.unit)}` }),
            series: [roof, ...peaks, ...chart.series.map((s, i) => {
                const l = look(s, i);
                return { name: s.name, type: "scatter", symbol: l.symbol === "none" ? "circle" : l.symbol,
                    symbolSize: 11, z: 4,
                    itemStyle: { color: l.hollow ? colours.ground : l.color, borderColor: l.color, borderWidth: 2 },
                    data: s.points.map(p => [p.x, p.y, p.note]) };
            })],
        });
    }

    const DRAW = { line: lines, bar: bars, heat, roofline };
    const heightOf = chart => chart.kind === "bar" ? 78 + 42 * barLines(chart).length + 18 * chart.levels.length
        : chart.kind === "heat" ? 140 + 34 * chart.ys.length : 380;

    const SVG = "http://www.w3.org/2000/svg";
    const SHAPES = Object.fromEntries(SYMBOLS.map((symbol, i) => [symbol, [
        "M7 0a4 4 0 1 0 .01 0z", "M3.5 .5h7v7h-7z", "M7 0l4.4 8h-8.8z", "M7-.8l4.8 4.8-4.8 4.8-4.8-4.8z",
        "M2.5 .2h9l-4.5 8z",
        "M5.5-.8h3v3.3h3.3v3H8.5v3.3h-3V5.5H2.2v-3h3.3z", "M4.8-.2h4.4l2.3 4.2-2.3 4.2H4.8L2.5 4z"][i]]));

    function swatch(l) {
        const svg = document.createElementNS(SVG, "svg");
        svg.setAttribute("viewBox", "-8 -2 30 12");
        svg.setAttribute("aria-hidden", "true");
        const line = document.createElementNS(SVG, "path");
        line.setAttribute("d", "M-7 4h28");
        line.setAttribute("stroke", l.color);
        line.setAttribute("stroke-width", l.width);
        line.setAttribute("stroke-dasharray", { solid: "none", dashed: "6 4", dotted: "2 3" }[l.type]);
        svg.append(line);
        if (SHAPES[l.symbol]) {
            const mark = document.createElementNS(SVG, "path");
            mark.setAttribute("d", SHAPES[l.symbol]);
            mark.setAttribute("stroke", l.color);
            mark.setAttribute("stroke-width", 1.5);
            mark.setAttribute("fill", l.hollow ? ink().ground : l.color);
            svg.append(mark);
        }
        return svg;
    }

    // A legend of buttons: it wraps on any width, and a keyboard reaches it.
    function legend(chart, figure, drawn) {
        const list = figure.querySelector(".legend");
        if (chart.bars) {
            const roles = chart.sides.filter(side => chart.bars.some(b => b.role === side.role));
            list.replaceChildren(...(roles.length > 1 ? roles : []).map(side => {
                const item = document.createElement("li");
                item.className = "key";
                item.append(swatch({ color: barColour(side.role), width: 7, type: "solid", symbol: "none" }),
                    side.name);
                return item;
            }));
        }
        if (!chart.series) {
            return;
        }
        const hidden = drawn.hidden;
        list.replaceChildren(...chart.series.map((s, i) => {
            const item = document.createElement("li");
            const button = document.createElement("button");
            button.type = "button";
            button.append(swatch(look(s, i)), s.name);
            button.setAttribute("aria-pressed", String(!hidden.has(s.name)));
            button.title = "show or hide";
            button.addEventListener("click", () => {
                if (!hidden.delete(s.name)) {
                    hidden.add(s.name);
                }
                button.setAttribute("aria-pressed", String(!hidden.has(s.name)));
                draw(drawn);
            });
            item.append(button);
            return item;
        }));
    }

    function draw(drawn) {
        const { chart, element, figure } = drawn;
        const width = element.clientWidth;
        if (width === 0) {
            return;
        }
        element.style.height = `${heightOf(chart)}px`;
        drawn.instance.resize({ width, height: heightOf(chart) });
        const option = DRAW[chart.kind](chart, width);
        option.series.forEach(s => {
            if (drawn.hidden.has(s.name)) {
                s.data = [];
            }
        });
        drawn.instance.setOption(option, { notMerge: true });
        figure.dataset.drawn = "yes";
    }

    const all = charts.map(chart => {
        const figure = document.getElementById(chart.id);
        const element = figure.querySelector(".chart");
        element.style.height = `${heightOf(chart)}px`;
        const instance = echarts.init(element, null, { renderer: "svg", width: element.clientWidth,
            height: heightOf(chart) });
        return { chart, figure, element, instance, hidden: new Set(), width: 0 };
    });
    const again = () => all.forEach(d => {
        draw(d);
        legend(d.chart, d.figure, d);
    });
    again();
    dark.addEventListener("change", again);
    print.addEventListener("change", again);
    const watch = new ResizeObserver(entries => entries.forEach(e => {
        const drawn = all.find(d => d.element === e.target);
        if (drawn.element.clientWidth !== drawn.width) {
            drawn.width = drawn.element.clientWidth;
            draw(drawn);
        }
    }));
    all.forEach(d => {
        d.width = d.element.clientWidth;
        watch.observe(d.element);
    });
})();
