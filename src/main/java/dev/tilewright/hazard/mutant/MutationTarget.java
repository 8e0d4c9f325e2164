package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A correct launch whose program is to be broken.
 *
 * @param before what its buffers hold before a run; it is left as it is
 * @param results numbers of the buffers whose bytes are the launch's result
 */
public record MutationTarget(Launch launch, List<MemorySegment> before, List<Integer> results) {
    private static final long ALIGNMENT = 256;
    /** What the result and the workspace hold before a run, so that bytes that were not written show. */
    private static final byte UNWRITTEN = (byte) 0xEE;

    public MutationTarget {
        Objects.requireNonNull(launch, "launch");
        before = List.copyOf(before);
        results = List.copyOf(results);
    }

    /** A launch that numbers its buffers as a builder's kernel does: sources, result, workspace. */
    public static MutationTarget moving(Launch launch, List<MemorySegment> sources, long resultBytes,
            long workspaceBytes) {
        List<MemorySegment> before = new ArrayList<>(sources);
        before.add(unwritten(resultBytes));
        before.add(unwritten(workspaceBytes));
        return new MutationTarget(launch, before, List.of(sources.size()));
    }

    private static MemorySegment unwritten(long bytes) {
        return MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]).fill(UNWRITTEN);
    }

    /** This launch of another program with the same parameters. */
    public Launch of(TileProgram program) {
        return launch.of(program);
    }

    /** Memory for one run. */
    public List<MemorySegment> memory(Arena arena) {
        return before.stream().map(bytes -> arena.allocate(bytes.byteSize(), ALIGNMENT).copyFrom(bytes)).toList();
    }
}
