package dev.tilewright.hazard.blame;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * What an engineer did to a kernel that was right, and what must be said of it.
 *
 * @param kernel the kernel's name
 * @param edit what was done to it
 * @param code of the first finding
 * @param step the purpose of the step that the finding names: the one to change, or where one is missing
 * @param words all of which the message has
 */
record Blame(String kernel, Enum<?> edit, HazardCode code, String step, Runner runner, List<String> words) {

    /** Checks a kernel with an edit; null for the kernel as it should be. */
    @FunctionalInterface
    interface Runner {
        HazardReport check(Enum<?> edit);
    }

    static final Expr T = Builtin.THREAD;
    static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    static final Parameter.Pointer FLAGS = new Parameter.Pointer("flags", true);
    private static final int BYTES = 16384;

    @Override
    public String toString() {
        return kernel + ", " + edit.name().toLowerCase().replace('_', ' ');
    }

    HazardReport check() {
        return runner.check(edit);
    }

    private static final ScopedValue<UnaryOperator<TileProgram>> CHANGE = ScopedValue.newInstance();

    /** A check of kernels that are changed before. */
    static HazardReport edited(UnaryOperator<TileProgram> by, Supplier<HazardReport> check) {
        return ScopedValue.where(CHANGE, by).call(check::get);
    }

    /** The kernel as it should be. */
    HazardReport checkUnedited() {
        return runner.check(null);
    }

    static HazardReport check(int threads, int blocks, int cluster, List<SharedRegion> shared, Consumer<Body> code) {
        TileProgram drawn = new TileProgram("edited", "a kernel with one edit", threads, cluster,
                List.of(SOURCE, RESULT, FLAGS), new SharedLayout(shared), Body.steps(code));
        TileProgram program = CHANGE.orElse(UnaryOperator.identity()).apply(drawn);
        Launch launch = Launch.of(program, blocks, Map.of(SOURCE, new Argument.Buffer(0), RESULT,
                new Argument.Buffer(1), FLAGS, new Argument.Buffer(2)));
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = Stream.generate(() -> arena.allocate(BYTES, 256)).limit(3).toList();
            return HazardCheck.check(launch, memory);
        }
    }

    static Address.Global from(Expr offset) {
        return new Address.Global(SOURCE, offset.toS64());
    }

    static Address.Global to(Expr offset) {
        return new Address.Global(RESULT, offset.toS64());
    }
}
