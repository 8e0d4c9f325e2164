package dev.tilewright.bench.rival;

import dev.tilewright.bench.result.Row;
import java.util.List;

/** Others that have turns of the same work between ours. */
public interface Opponent {
    /** No opponent. */
    Opponent NONE = new Opponent() {
        @Override
        public void turn() { }

        @Override
        public List<Row> rows() {
            return List.of();
        }
    };

    /** Takes one turn, warmed up before it as ours are. */
    void turn();

    /** What all turns gave, or why there is nothing. */
    List<Row> rows();
}
