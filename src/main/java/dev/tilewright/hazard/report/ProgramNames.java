package dev.tilewright.hazard.report;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.NotAnalysed;
import dev.tilewright.hazard.Place;
import dev.tilewright.hazard.StepLocation;
import dev.tilewright.hazard.async.Barrier;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What readers know a program's steps and bytes by. */
public final class ProgramNames {
    private static final StepLocation END = new StepLocation(0, "end of the kernel", 0, Optional.empty());

    static final int BARRIER_BYTES = 8;

    private final TileProgram program;
    private final StepNumbers steps;
    private List<ExecutionObserver.Allocation> pieces = List.of();
    /** Made when the first line is asked for. */
    private CudaSource source;

    ProgramNames(TileProgram program) {
        this.program = program;
        this.steps = new StepNumbers(program);
    }

    /** @param all pieces of global memory, by their numbers */
    void namePieces(List<ExecutionObserver.Allocation> all) {
        pieces = all;
    }

    StepLocation location(int step) {
        if (step == 0) {
            return END;
        }
        if (source == null) {
            source = CudaEmitter.emit(program);
        }
        Step of = steps.step(step);
        return new StepLocation(step, of.purpose(), source.lineOf(step), of.javaLine());
    }

    /** A step that is not analysed. @param why in a sentence */
    NotAnalysed notAnalysed(int step, String why) {
        StepLocation location = location(step);
        if (step != 0 && steps.step(step).operation() instanceof Operation.Instruction instruction) {
            PtxInstruction form = instruction.form();
            return new NotAnalysed(form.opcode(), form.emitOnly() ? Optional.of(form.minimumTarget())
                    : Optional.empty(), location, why);
        }
        return new NotAnalysed(location.purpose(), Optional.empty(), location, why);
    }

    /** The name of the program. */
    String kernel() {
        return program.name();
    }

    /** Of the instruction that a step issues, the first two parts: {@code st.async}. */
    String mnemonic(int step) {
        String[] parts = ((Operation.Instruction) steps.step(step).operation()).form().opcode().split("\\.");
        return parts[0] + "." + parts[1];
    }

    /** The first step that issues an instruction; 0 for none. */
    int firstIssue(PtxInstruction form) {
        int step = 1;
        for (Step of : steps.all()) {
            if (of.operation() instanceof Operation.Instruction i && i.form().equals(form)) {
                return step;
            }
            step++;
        }
        return 0;
    }

    /** What a message begins with that does not name the step otherwise. */
    String at(int step, int block) {
        return step == 0 ? "block " + block + ": " : location(step) + " of block " + block + ": ";
    }

    // ---- what threads do

    Access access(int step, ThreadClock thread, String kind) {
        return new Access(location(step), thread.block(), thread.thread(), kind);
    }

    Access access(ShadowAccess access) {
        return access(access.step(), access.thread(), kind(access));
    }

    Access access(CopyCompletion copy, String kind) {
        return access(copy.step(), copy.thread(), kind);
    }

    private static String kind(ShadowAccess access) {
        String verb = !access.writes() ? "read" : access.reads() ? "update" : "write";
        boolean product = access.completion() != null && access.completion().kind() == CopyCompletion.Kind.WGMMA_GROUP;
        return access.isAsync() ? "lets the " + (product ? "tensor cores " : "copy engine ") + verb
                : (access.completion() == null ? "" : "asynchronously ") + verb + "s";
    }

    // ---- bytes

    Place place(ByteRange span) {
        return span.shared() ? shared(span.of(), span.at(), span.bytes())
                : global(pieces.get(span.of()), span.at(), span.bytes());
    }

    /** The bytes of an mbarrier. */
    Place place(Barrier barrier) {
        return barrierAt(barrier.owner(), barrier.address());
    }

    Place barrierAt(int owner, int address) {
        return place(new ByteRange(true, owner, address, BARRIER_BYTES));
    }

    /** Bytes of global memory by the name of the parameter that points to them, of several that to the fewest. */
    private static Place global(ExecutionObserver.Allocation piece, long at, long bytes) {
        return piece.parts().stream().filter(p -> at >= p.offset() && at + bytes <= p.offset() + p.bytes())
                .min(Comparator.comparingLong(ExecutionObserver.Part::bytes))
                .map(p -> new Place(false, 0, p.name(), at - p.offset(), bytes))
                .orElseGet(() -> new Place(false, 0, piece.name() + "'s buffer", at, bytes));
    }

    /** Bytes of shared memory by the name of their region. */
    private Place shared(int owner, long address, long bytes) {
        Map<String, Integer> offsets = program.shared().offsets();
        for (SharedRegion region : program.shared().regions()) {
            int start = offsets.get(region.name());
            if (address >= start && address < start + region.bytes()) {
                return new Place(true, owner, region.name(), address - start, bytes);
            }
        }
        return new Place(true, owner, "shared memory", address, bytes);
    }
}
