package dev.tilewright.verify;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.warp.Nanosleep;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A case that goes wrong on purpose, as a broken kernel does, to prove that a run outlives it. On a GPU it is a kernel
 * that runs past every limit, or one that writes where no memory is; in the reference's place, which neither hangs nor
 * faults, a thread that never returns, or the end of the process.
 *
 * @param what goes wrong
 */
public record PlantedCase(What what) implements VerifyCase {
    private static final Parameter.Pointer TARGET = new Parameter.Pointer("target", true);
    /** Behind all memory that a GPU has. */
    private static final long NOWHERE = 1L << 46;
    private static final int SLEEP_NANOSECONDS = 1_000_000;
    /** Minutes, and then the GPU is free even where the process is not ended. */
    private static final int SLEEPS = 300_000;
    /** What the process ends with. */
    private static final int EXIT_CODE = 70;

    /** Ways to go wrong. */
    public enum What {
        /** It does not end in time. */
        HANG,
        /** It ends the context, or the process. */
        FAULT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public CaseLine line() {
        return new CaseLine(PlantedKind.NAME).with("what", what);
    }

    @Override
    public boolean sharesKernelWith(VerifyCase other) {
        return equals(other);
    }

    @Override
    public CaseWork work() {
        TileProgram program = what == What.HANG ? hang() : fault();
        Launch launch = new Launch(program, 1, List.of(new Argument.Buffer(0, 0, Integer.BYTES)));
        return new CaseWork(launch, List.of(CaseBuffer.result("target", ElementType.U32, List.of(1L))),
                Optional.empty());
    }

    private static TileProgram hang() {
        return program("planted_hang", "sleeps for minutes", Body.steps(body -> body.loop("sleep", SLEEPS, (inner, _) ->
                inner.purpose("not yet").issue(new Nanosleep(), Input.of(SLEEP_NANOSECONDS)))));
    }

    private static TileProgram fault() {
        return program("planted_fault", "writes where no memory is",
                Body.steps(body -> body.purpose("far past the end of the buffer")
                .store(new Address.Global(TARGET, NOWHERE), Value.u32(1))));
    }

    private static TileProgram program(String name, String about, List<Step> steps) {
        return new TileProgram(name, about, 1, List.of(TARGET), new SharedLayout(List.of()), steps);
    }

    /** Goes wrong. */
    void strike(CaseDevice device) {
        if (!device.definesResults()) {
            device.run(work().launch(), List.of(MemorySegment.ofArray(new byte[Integer.BYTES])));
        } else if (what == What.HANG) {
            while (true) {
                Thread.onSpinWait();
            }
        } else {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
