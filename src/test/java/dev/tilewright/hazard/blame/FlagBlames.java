package dev.tilewright.hazard.blame;

import java.util.List;

final class FlagBlames {
    private FlagBlames() {
    }

    static List<Blame> all() {
        return List.of();
    }
}
