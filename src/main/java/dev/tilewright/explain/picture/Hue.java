package dev.tilewright.explain.picture;

import java.util.Locale;

/**
 * A fill of pictures, in a light and a dark theme. Found by a search for fills that stay furthest apart, in OKLab, for
 * people without and with each kind of colour blindness, with text on them at a contrast of at least 4.5.
 */
public enum Hue {
    BLUE("#a6bdf5", "#183a6d"),
    ORANGE("#f1b74a", "#4c1c02"),
    GREEN("#1ef0b6", "#157a33"),
    RED("#e2642d", "#792d05"),
    PURPLE("#c764dd", "#87349c"),
    GREY("#888888", "#545454"),
    /** As the page itself. */
    PLAIN("#ffffff", "#101418");

    /** Text on any of the fills of a light theme. */
    static final String LIGHT_TEXT = "#1b1b1b";
    /** Text on any of the fills of a dark theme. */
    static final String DARK_TEXT = "#f2f2f2";

    private final String light;
    private final String dark;

    Hue(String light, String dark) {
        this.light = light;
        this.dark = dark;
    }

    /** The fill in a light theme, or in a dark one: {@code #rrggbb}. */
    public String fill(boolean isDark) {
        return isDark ? dark : light;
    }

    /** The class of what is filled so. */
    String style() {
        return name().toLowerCase(Locale.ROOT);
    }
}
