package dev.tilewright.docs;

import dev.tilewright.bench.report.Browser;
import dev.tilewright.explain.picture.Sight;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a reader needs of drawings in the page that is open, whether they lie in shadow roots of articles or in the page
 * itself: letters that are large enough, text that stands out, and colours that are told apart.
 */
public final class Looks {
    /** The least size of letters, in pixels as they are shown. */
    private static final double LEAST_LETTERS = 11;

    private static final String ROOTS = """
            const hex = c => { const m = c.match(/^rgba?\\((\\d+), (\\d+), (\\d+)(?:, ([0-9.]+))?\\)$/);
                return m && m[4] !== '0' ? '#' + [1, 2, 3].map(i => (+m[i]).toString(16).padStart(2, '0')).join('')
                    : null; };
            const hosts = [...document.querySelectorAll('article')].filter(a => a.shadowRoot);
            const roots = hosts.length ? hosts.map(a => [a.id, a.shadowRoot])
                : [...document.querySelectorAll('svg')].filter(s => !s.parentElement.closest('svg')
                    && s.querySelector('text')).map((s, i) => ['drawing ' + i, s]);
            const seen = e => !e.closest('defs, marker, clipPath, mask') && getComputedStyle(e).fillOpacity !== '0';
            """;
    /** Of each text of a drawing: where, the text, its colour, and that of what is painted behind its middle. */
    static final String TEXTS = ROOTS + """
            const found = [];
            for (const [id, root] of roots) {
                const shapes = [...root.querySelectorAll('rect, path, circle, polygon')].filter(seen);
                for (const text of root.querySelectorAll('text')) {
                    if (text.textContent.trim() === '') continue;
                    const box = text.getBoundingClientRect();
                    const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
                    let behind = hex(getComputedStyle(document.body).backgroundColor);
                    for (const shape of shapes) {
                        if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
                        const fill = hex(getComputedStyle(shape).fill), at = shape.getBoundingClientRect();
                        if (fill && at.left <= x && x <= at.right && at.top <= y && y <= at.bottom) {
                            const p = shape.ownerSVGElement.createSVGPoint(); p.x = x; p.y = y;
                            if (shape.isPointInFill(p.matrixTransform(shape.getScreenCTM().inverse()))) behind = fill;
                        }
                    }
                    found.push([id, text.textContent.trim().slice(0, 40), hex(getComputedStyle(text).fill), behind]);
                }
            }
            return found;
            """;
    /**
     * Of each drawing: the fills of its shapes, of whatever is drawn at all. A chart's are those of its bars and keys;
     * cells of heat maps say their values.
     */
    private static final String FILLS = ROOTS + """
            return roots.map(([id, root]) => {
                const shapes = [...root.querySelectorAll('rect, circle, polygon')].filter(seen)
                    .map(s => hex(getComputedStyle(s).fill));
                const keys = [...root.querySelectorAll('[data-key]')].map(s => hex(getComputedStyle(s).stroke));
                return [id, ...new Set([...shapes, ...keys].filter(c => c))];
            });
            """;
    private static final String SMALL = ROOTS + """
            const least = %s;
            return roots.flatMap(([id, root]) => [...root.querySelectorAll('text')]
                .filter(t => t.textContent.trim() !== '').map(t => [id + ': ' + t.textContent,
                    parseFloat(getComputedStyle(t).fontSize) * Math.hypot(t.getScreenCTM().a, t.getScreenCTM().b)]))
                .filter(t => t[1] < least);
            """.formatted(LEAST_LETTERS);

    private Looks() {
    }

    /** Texts whose letters are too small, and how large they are. */
    public static List<?> small(Browser browser) {
        return (List<?>) browser.run(SMALL);
    }

    /** Texts that do not stand out from what is behind them. */
    public static List<String> faint(Browser browser) {
        List<String> faint = new ArrayList<>();
        for (Object each : (List<?>) browser.run(TEXTS)) {
            List<?> text = (List<?>) each;
            double contrast = Sight.contrast((String) text.get(2), (String) text.get(3));
            if (contrast < Sight.LEAST_CONTRAST) {
                faint.add(text + ": " + contrast);
            }
        }
        return faint;
    }

    /** Fills of one drawing that somebody takes for one another. */
    public static Set<String> alike(Browser browser) {
        Set<String> alike = new TreeSet<>();
        for (Object each : (List<?>) browser.run(FILLS)) {
            List<?> fills = (List<?>) each;
            for (int i = 1; i < fills.size(); i++) {
                for (int j = 1; j < i; j++) {
                    for (String sight : Sight.all()) {
                        double distance = Sight.distance(sight, (String) fills.get(i), (String) fills.get(j));
                        if (distance < Sight.LEAST_DISTANCE) {
                            alike.add(fills.getFirst() + ": " + fills.get(i) + " and " + fills.get(j) + ", " + sight
                                    + ": " + distance);
                        }
                    }
                }
            }
        }
        return alike;
    }
}
