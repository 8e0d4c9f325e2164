package dev.tilewright.explain.timeline;

import dev.tilewright.explain.picture.Hue;
import dev.tilewright.explain.picture.Svg;
import java.util.ArrayList;
import java.util.List;

/** The head of a schedule's drawing: what its colours mean, and which threads each of its lanes shows. */
final class Legend {
    private static final int TEXT = 20;
    private static final int BASE = 12;

    private final List<String> roles;
    private final int left;
    private final int wide;
    private final int height;
    private final List<Place> kinds = new ArrayList<>();
    private final List<List<String>> names = new ArrayList<>();

    /** Where a colour stands. */
    private record Place(Kind kind, int x, int line) { }

    Legend(List<String> roles, int left, int wide) {
        this.roles = roles;
        this.left = left;
        this.wide = wide;
        int x = left;
        int line = 0;
        for (Kind kind : Kind.values()) {
            int needs = TEXT + Svg.wide(kind.text);
            if (x + needs > left + wide) {
                x = left;
                line++;
            }
            kinds.add(new Place(kind, x, line));
            x += needs + TEXT / 2;
        }
        for (int role = 0; role < roles.size(); role++) {
            names.add(Svg.lines(roles.get(role), wide - TEXT));
        }
        height = (line + 1 + names.stream().mapToInt(List::size).sum()) * Svg.LINE + TEXT;
    }

    /** {@code A}: the letter of a lane. */
    static String letter(int role) {
        return Character.toString('A' + role);
    }

    int height() {
        return height;
    }

    void draw(Svg svg, int top) {
        int y = top + BASE;
        for (Place place : kinds) {
            int base = y + place.line * Svg.LINE;
            svg.box(place.kind.hue, place.x, base - 10, 14, 12, "").text(place.x + TEXT, base, place.kind.text);
        }
        y += (kinds.getLast().line + 1) * Svg.LINE + TEXT / 4;
        for (int role = 0; role < roles.size(); role++) {
            svg.text(left, y, letter(role)).texts(left + TEXT, y, names.get(role));
            y += names.get(role).size() * Svg.LINE;
        }
    }

    /** What a colour stands for. */
    enum Kind {
        LOADS(Hue.BLUE, "load"), COMPUTES(Hue.ORANGE, "compute"), STORES(Hue.GREEN, "store"),
        SIGNALS(Hue.PURPLE, "arrive, commit"), WAITS(Hue.PLAIN, "wait, meet"), OTHERS(Hue.GREY, "set up, fence"),
        STOPS(Hue.RED, "never passes");

        final Hue hue;
        final String text;

        Kind(Hue hue, String text) {
            this.hue = hue;
            this.text = text;
        }

        static Kind of(StepAction action) {
            return switch (action) {
                case LOAD -> LOADS;
                case COMPUTE, UPDATE -> COMPUTES;
                case STORE -> STORES;
                case ARRIVE, EXPECT, COMMIT -> SIGNALS;
                case WAIT, MEET -> WAITS;
                case INIT, FENCE -> OTHERS;
                case STUCK -> STOPS;
            };
        }
    }
}
