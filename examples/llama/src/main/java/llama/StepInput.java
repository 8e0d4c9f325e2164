package llama;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a step is given: rows that are not added are of position 0 of the first sequence, and leave nothing. */
final class StepInput {
    private final int[] tokens, positions, owners, slots, which, table;
    private final int mostPages;
    private final List<Cache.Sequence> sequences = new ArrayList<>();
    private int rows, asked;

    StepInput(int rows, int asked, int sequences, int mostPages) {
        this.mostPages = mostPages;
        tokens = new int[rows];
        positions = new int[rows];
        owners = new int[rows];
        slots = new int[rows];
        which = new int[asked];
        table = new int[sequences * mostPages];
        Arrays.fill(slots, -1);
    }

    /** @return its number */
    int add(Cache.Sequence sequence) {
        int from = sequences.size() * mostPages;
        for (int i = 0; i < sequence.table().size(); i++) {
            table[from + i] = sequence.table().get(i);
        }
        sequences.add(sequence);
        return sequences.size() - 1;
    }

    /** @param owner the sequence's number @param wanted whether its logits are asked for */
    void add(int owner, int token, int position, boolean wanted) {
        tokens[rows] = token;
        positions[rows] = position;
        owners[rows] = owner;
        slots[rows] = sequences.get(owner).slot(position);
        if (wanted) {
            which[asked++] = rows;
        }
        rows++;
    }

    void write(ModelMemory memory) {
        memory.tokens().write(0, MemorySegment.ofArray(tokens));
        memory.positions().write(0, MemorySegment.ofArray(positions));
        memory.owners().write(0, MemorySegment.ofArray(owners));
        memory.slots().write(0, MemorySegment.ofArray(slots));
        memory.which().write(0, MemorySegment.ofArray(which));
        memory.table().write(0, MemorySegment.ofArray(table));
    }
}
