package dev.tilewright.hazard.explore;

import java.util.List;

/**
 * One order in which a launch can run.
 *
 * @param moves from the first to the last
 * @param stuck for each thread that never ends the step at which it stands, as a move
 * @param memory what the buffers hold at the end; empty where it goes wrong
 * @param end what comes of it: why it goes wrong; empty where it ends with some bytes
 */
public record Order(List<Move> moves, List<Move> stuck, String end, List<byte[]> memory) {
    public Order {
        moves = List.copyOf(moves);
        memory = List.copyOf(memory);
        stuck = List.copyOf(stuck);
    }
}
