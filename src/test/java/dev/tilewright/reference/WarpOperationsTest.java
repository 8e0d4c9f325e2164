package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.verify.draw.WarpPrograms;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Warp operations by drawn lanes, in blocks of any shape, leave what a direct computation says, lane by lane. */
class WarpOperationsTest {

    @Property(tries = 50)
    @OrdinaryTries(20)
    void areWhatADirectComputationSays(@ForAll long seed, @ForAll boolean fixed) {
        WarpPrograms warps = new WarpPrograms(seed, 12);
        WarpPrograms.Data drawn = warps.data(seed);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_BYTE, drawn.source());
            MemorySegment result = arena.allocate(drawn.expected().length, 16);
            Launch launch = new Launch(warps.program(), 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
            ReferenceOptions options = fixed ? ReferenceOptions.DEFAULT : ReferenceOptions.DEFAULT.withSeed(seed);
            Reference.run(launch, List.of(source, result), options);
            assertArrayEquals(drawn.expected(), result.toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
