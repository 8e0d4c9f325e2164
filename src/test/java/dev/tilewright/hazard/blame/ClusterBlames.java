package dev.tilewright.hazard.blame;

import java.util.List;

final class ClusterBlames {
    private ClusterBlames() {
    }

    static List<Blame> all() {
        return List.of();
    }
}
