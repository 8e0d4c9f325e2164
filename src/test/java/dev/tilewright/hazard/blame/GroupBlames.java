package dev.tilewright.hazard.blame;

import java.util.List;

final class GroupBlames {
    private GroupBlames() {
    }

    static List<Blame> all() {
        return List.of();
    }
}
