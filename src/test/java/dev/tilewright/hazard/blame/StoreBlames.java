package dev.tilewright.hazard.blame;

import java.util.List;

final class StoreBlames {
    private StoreBlames() {
    }

    static List<Blame> all() {
        return List.of();
    }
}
