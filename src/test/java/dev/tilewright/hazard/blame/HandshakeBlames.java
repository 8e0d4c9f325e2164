package dev.tilewright.hazard.blame;

import java.util.List;

final class HandshakeBlames {
    private HandshakeBlames() {
    }

    static List<Blame> all() {
        return List.of();
    }
}
