package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.cli.option.ExecutorChoice;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Stopwatch;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.Units;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.io.FileSnapshot;
import dev.tilewright.io.Npy;
import dev.tilewright.io.NpyWriter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.banks.BankConflicts;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.Difference;
import dev.tilewright.verify.DirectStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs an elementwise kernel on an array, and writes the array that it leaves.
 *
 * @param name of the kernel in results
 * @param scalar the bits of the kernel's scalar, if it takes one
 * @param gpu where it runs; empty for the reference executor
 * @param options how the reference executor runs
 */
record ArrayRun(Terminal terminal, Stopwatch stopwatch, String name, ElementwiseKernel kernel, Npy array, long scalar,
        Optional<Gpu> gpu, ReferenceOptions options) {
    /** Blocks whose bank conflicts are counted, at least a cluster's. */
    static final int BANK_BLOCKS = 8;
    private static final int ALIGNMENT = 256;
    /** What new memory holds. */
    private static final byte FRESH = (byte) 0xAB;

    /** What is done besides, and how the result is printed. */
    record Wanted(boolean check, boolean bankConflicts, boolean json) { }

    /**
     * The document.
     *
     * @param difference what {@code --check} found, or null
     * @param output the file, or null where nothing was written
     * @param milliseconds of each part of the work
     * @param bankConflicts left out where they were not asked for
     */
    private record Report(String preset, ElementType type, List<Long> shape, long bytes, ExecutorChoice executor,
            String device, boolean checked, String difference, String output, Map<String, Double> milliseconds,
            @JsonInclude(JsonInclude.Include.NON_NULL) BankDocument bankConflicts) { }

    /** @param withReference whether the reference's result was compared, too */
    private record Comparison(Optional<String> complaint, boolean withReference) {
        private static final Comparison NONE = new Comparison(Optional.empty(), false);
    }

    /**
     * Runs it.
     *
     * @param before the file that the array is read from, which must not have changed meanwhile
     * @param moved receives the result before it is compared and written
     * @return how the command ends
     */
    int run(Path output, Wanted wanted, FileSnapshot before, Consumer<MemorySegment> moved) {
        // The file is laid out first, so that the result is written once, straight into it.
        try (NpyWriter writer = NpyWriter.create(output, array.type(), array.shape())) {
            MemorySegment result = writer.data();
            move(result);
            moved.accept(result);
            stopwatch.mark("move");
            Comparison comparison = wanted.check ? compare(result) : Comparison.NONE;
            stopwatch.mark("check");
            Optional<BankConflicts> banks = wanted.bankConflicts ? Optional.of(bankConflicts()) : Optional.empty();
            if (wanted.bankConflicts) {
                stopwatch.mark("bank conflicts");
            }
            before.requireUnchanged();
            boolean isRight = comparison.complaint.isEmpty();
            if (isRight) {
                writer.commit();
                stopwatch.mark("write");
            }
            report(output, wanted, comparison, banks);
            return isRight ? ExitCode.OK : ExitCode.FOUND;
        }
    }

    private Launch launch() {
        return kernel.launch(array.shape(), scalar);
    }

    private void move(MemorySegment result) {
        if (result.byteSize() == 0) {
            return;
        }
        if (gpu.isEmpty()) {
            refer(result);
            return;
        }
        Launch launch = launch();
        try (Kernel loaded = gpu.get().load(kernel.program());
                Buffer<byte[]> from = gpu.get().upload(ArrayType.BYTES, array.data());
                Buffer<byte[]> to = gpu.get().bytes(result.byteSize());
                Buffer<byte[]> workspace = gpu.get().bytes(kernel.workspaceBytes(launch))) {
            loaded.prepare(launch, from, to, workspace).start();
            to.download(result);
        }
    }

    /** Runs the reference on the array itself. What the kernel does not write is no zero, as on a GPU. */
    private void refer(MemorySegment result) {
        Launch launch = launch();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment workspace = arena.allocate(kernel.workspaceBytes(launch), ALIGNMENT);
            Reference.run(launch, List.of(array.data(), result.fill(FRESH), workspace.fill(FRESH)), options);
        }
    }

    /** Compares the result with a direct computation, and with the reference where a GPU made it. */
    private Comparison compare(MemorySegment result) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment other = arena.allocate(result.byteSize(), ALIGNMENT);
            boolean withReference = gpu.isPresent() && result.byteSize() > 0 && isReferred(other);
            if (withReference) {
                Optional<String> difference = difference("the GPU and the reference", other, result);
                if (difference.isPresent()) {
                    return new Comparison(difference, true);
                }
            }
            DirectStep.apply(kernel.step(), array.type(), scalar, array.data(), other);
            return new Comparison(difference("the result and a direct computation", other, result), withReference);
        }
    }

    /** Runs the reference, if it runs all of this kernel; else notes that it does not. */
    private boolean isReferred(MemorySegment result) {
        try {
            refer(result);
            return true;
        } catch (ReferenceException e) {
            if (e.kind() != ReferenceException.Kind.NOT_MODELLED) {
                throw e;
            }
            terminal.note("not compared with the reference, which does not run all of this kernel: "
                    + e.getMessage());
            return false;
        }
    }

    private Optional<String> difference(String between, MemorySegment wanted, MemorySegment got) {
        return Difference.between(wanted, got)
                .map(d -> between + " differ: " + d.describe(array.type(), array.shape()));
    }

    private BankConflicts bankConflicts() {
        Launch launch = launch().resolved();
        int cluster = launch.program().clusterBlocks();
        int blocks = Math.min(launch.blocks(), Math.ceilDiv(BANK_BLOCKS, cluster) * cluster);
        try (Arena arena = Arena.ofShared()) {
            return BankConflicts.of(launch, List.of(array.data(), arena.allocate(array.data().byteSize(), ALIGNMENT),
                    arena.allocate(kernel.workspaceBytes(launch), ALIGNMENT)), options.withFirstBlocks(blocks));
        }
    }

    private void report(Path output, Wanted wanted, Comparison comparison, Optional<BankConflicts> banks) {
        String device = gpu.map(Gpu::name).orElse(CaseDevice.REFERENCE);
        Optional<String> complaint = comparison.complaint;
        if (wanted.json) {
            terminal.json(new Report(name, array.type(), array.shape(), array.data().byteSize(),
                    gpu.isEmpty() ? ExecutorChoice.REFERENCE : ExecutorChoice.GPU, device, wanted.check,
                    complaint.orElse(null), complaint.isPresent() ? null : output.toString(), stopwatch.milliseconds(),
                    banks.map(b -> BankDocument.of(b, CudaEmitter.emit(kernel.program()))).orElse(null)));
            return;
        }
        String what = name + " " + array.type() + " " + Units.shape(array.shape()) + " on " + device;
        if (complaint.isPresent()) {
            terminal.result(what + ": " + complaint.get() + "; " + output + " not written");
            return;
        }
        terminal.result(what + ": " + Units.bytes(array.data().byteSize()) + " written to " + output
                + (!wanted.check ? "" : comparison.withReference
                        ? ", every byte equals the reference's and a direct computation's"
                        : ", every byte equals a direct computation"));
        banks.ifPresent(b -> b.lines().forEach(terminal::result));
    }
}
