package dev.tilewright.verify;

import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Predicate;

/**
 * A device that goes wrong on purpose: after each launch it damages the result, which is buffer 1. It can be any GPU.
 */
public record DamagingDevice(Target target, int sharedMemoryPerBlock, Damage damage, Predicate<Launch> where)
        implements CaseDevice {

    /** What goes wrong. */
    public interface Damage {
        /** @param before the result as it was before the launch; @param after as the launch left it, to be changed */
        void apply(MemorySegment before, MemorySegment after);
    }

    public DamagingDevice(Damage damage) {
        this(damage, _ -> true);
    }

    /** @param where of which launches it damages the results */
    DamagingDevice(Damage damage, Predicate<Launch> where) {
        this(Target.SM_90A, 227 * 1024, damage, where);
    }

    DamagingDevice(Target target, int sharedMemory, Damage damage) {
        this(target, sharedMemory, damage, _ -> true);
    }

    @Override
    public void run(Launch launch, List<MemorySegment> memory) {
        MemorySegment result = memory.get(1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment before = arena.allocate(result.byteSize()).copyFrom(result);
            Reference.run(launch, memory);
            if (where.test(launch)) {
                damage.apply(before, result);
            }
        }
    }

    @Override
    public String name() {
        return "this GPU";
    }

    @Override
    public boolean definesResults() {
        return false;
    }

    @Override
    public Ready load(TileProgram program) {
        return () -> { };
    }
}
