package dev.tilewright.explain.picture;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Fills of pictures are told apart by everybody, and text on them is read. */
class HueTest {
    @Test
    void everybodyTellsThemApart() {
        for (boolean isDark : List.of(false, true)) {
            for (String sight : Sight.all()) {
                for (Hue one : Hue.values()) {
                    for (Hue other : Hue.values()) {
                        double distance = Sight.distance(sight, one.fill(isDark), other.fill(isDark));
                        assertTrue(one == other || distance >= Sight.LEAST_DISTANCE, () -> one + " and " + other + ", "
                                + sight + ", dark " + isDark + ": " + distance);
                    }
                }
            }
        }
    }

    @Test
    void textIsRead() {
        for (Hue hue : Hue.values()) {
            for (boolean isDark : List.of(false, true)) {
                double contrast = Sight.contrast(isDark ? Hue.DARK_TEXT : Hue.LIGHT_TEXT, hue.fill(isDark));
                assertTrue(contrast >= Sight.LEAST_CONTRAST, () -> hue + ", dark " + isDark + ": " + contrast);
            }
        }
    }
}
