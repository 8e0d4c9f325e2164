package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.builder.Presets;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What the builders make is correct in every order: with any seed a run leaves the bytes of the fixed order. */
class SeedsTest {

    @Property(tries = 60)
    @OrdinaryTries(8)
    void everySeedLeavesTheBytesOfTheFixedOrder(@ForAll long drawn, @ForAll long seed) {
        CopyCase copyCase = smallCase(new CopyCases(Presets.ALL, drawn));
        Launch launch = copyCase.launch();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment data = copyCase.data(arena);
            assertEquals(-1, run(copyCase, launch, data, ReferenceOptions.DEFAULT, arena)
                    .mismatch(run(copyCase, launch, data, ReferenceOptions.DEFAULT.withSeed(seed), arena)),
                    copyCase::toString);
        }
    }

    private static CopyCase smallCase(CopyCases cases) {
        for (;;) {
            CopyCase next = cases.next();
            if (next.bytes() < 40_000 && next.launch().blocks() * next.launch().program().threads() < 20_000) {
                return next;
            }
        }
    }

    private static MemorySegment run(CopyCase copyCase, Launch launch, MemorySegment data, ReferenceOptions options,
            Arena arena) {
        MemorySegment result = arena.allocate(data.byteSize(), 256);
        MemorySegment workspace = arena.allocate(copyCase.kernel().workspaceBytes(launch), 256);
        Reference.run(launch, List.of(data, result, workspace), options);
        return result;
    }
}
