package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A correct launch whose program is to be broken: buffer 0 is read, buffer 1 takes the result, buffer 2 is a workspace.
 *
 * @param source what buffer 0 holds; it is left as it is
 */
public record MutationTarget(Launch launch, MemorySegment source, long resultBytes, long workspaceBytes) {
    /** What the result and the workspace hold before a run, so that bytes that were not written show. */
    private static final byte UNWRITTEN = (byte) 0xEE;

    /** The same launch of another program with the same parameters. */
    public Launch of(TileProgram program) {
        return launch.of(program);
    }

    /** Memory for one run. */
    public List<MemorySegment> memory(Arena arena) {
        return List.of(source, fresh(arena, resultBytes), fresh(arena, workspaceBytes));
    }

    private static MemorySegment fresh(Arena arena, long bytes) {
        return arena.allocate(bytes, 256).fill(UNWRITTEN);
    }
}
