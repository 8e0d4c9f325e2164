package dev.tilewright.junit;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.NotNull;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.recording.DeviceDescription;
import dev.tilewright.recording.KernelCase;
import dev.tilewright.recording.RecordingFile;
import dev.tilewright.recording.RecordingHeader;
import dev.tilewright.recording.RecordingWriter;
import dev.tilewright.reference.Reference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.opentest4j.AssertionFailedError;

/**
 * Results of a project's kernels on a GPU, kept in a file beside its tests. A test names its cases. With the system
 * property {@code tilewright.record=true}, on a machine with a GPU, they are run there and the file is written; without
 * it, on any machine, they are run by the reference executor and held against the file:
 *
 * {@snippet lang=java :
 * @Test
 * void scalesAsTheGpuDid() {
 *     ElementwiseKernel kernel = TensorCopy.of(ElementType.F32).tile(8, 32).step(ElementStep.SCALE).build();
 *     try (KernelRecording recording = KernelRecording.at(Path.of("src/test/recordings/scale.jsonl.gz"))) {
 *         recording.check("64 x 64", kernel, Scalars.of("scalar", 2), RecordedArray.drawn(ElementType.F32, 42, 64,
 *     64)); }
 * }
 * }
 *
 * <p>The file has inputs by seed, or by name and hash, outputs by hash, and the hashes of kernel and launch: where one
 * of these is another now, the test fails with a {@link StaleRecordingError}, not with a difference of bytes. Comments
 * in the kernel's source do not count. It says which GPU and driver it was made on, and whether it is whole; {@code
 * tilewright replay} tells of it too. Needs Jackson ({@code jackson-databind}) on the path of the tests.
 *
 * <p>Used by one thread at a time. A recording is one file, written whole: tests that each make one need a file each,
 * or share one that is closed after all of them.
 */
public final class KernelRecording implements AutoCloseable {
    /** The system property that says whether to record. */
    public static final String RECORD = "tilewright.record";
    private static final long ALIGNMENT = 256;

    private final Path file;
    private final boolean records;
    private final Supplier<Gpu> opener;
    private final Map<String, KernelCase> cases = new LinkedHashMap<>();
    private String origin = "";
    private Gpu gpu;
    private boolean failed;
    private boolean keepsBytes;

    private KernelRecording(Path file, boolean records, Supplier<Gpu> opener) {
        this.file = file;
        this.records = records;
        this.opener = opener;
        if (records) {
            RecordingWriter.requirePlace(file);
            return;
        }
        if (!Files.exists(file)) {
            throw new AssertionFailedError("there is no recording " + file + ": " + remedy());
        }
        RecordingFile recording = RecordingFile.read(file);
        origin = recording.header().map(RecordingHeader::origin).orElse("a GPU");
        cases.putAll(KernelCase.all(recording, file.toString()));
    }

    /**
     * A recording that is read, or made, as the property says.
     *
     * @param file such as {@code src/test/recordings/scale.jsonl.gz}; a name that ends with .gz is compressed. Its
     *     folder is made where it is to be recorded
     * @throws AssertionFailedError if it is to be read and is not there
     * @throws BadRequestException if it has been altered or cut short, or is of a newer version; or cannot be written
     * @throws MissingRequirementException if Jackson is not there
     */
    public static KernelRecording at(Path file) {
        Objects.requireNonNull(file, "file");
        try {
            return new KernelRecording(file, Boolean.getBoolean(RECORD), Gpu::open);
        } catch (NoClassDefFoundError e) {
            throw new MissingRequirementException("recordings of kernels need Jackson: add the dependency"
                    + " com.fasterxml.jackson.core:jackson-databind to the tests", e);
        }
    }

    /** One that is made on any GPU. */
    static KernelRecording on(Path file, Supplier<Gpu> opener) {
        return new KernelRecording(file, true, opener);
    }

    /** Keeps whole outputs from now on, not only their hashes, so that a difference can be shown. */
    public KernelRecording keepingBytes() {
        keepsBytes = true;
        return this;
    }

    /**
     * Records a launch, or holds the reference executor against what was recorded of it.
     *
     * @param name of the case, once in a recording
     * @param buffers what the launch's buffer numbers stand for, before it
     * @throws StaleRecordingError if kernel, launch or inputs differ from the recorded ones
     * @throws AssertionFailedError if the bytes differ, or no such case was recorded
     * @throws MissingRequirementException if it is to be recorded and there is no GPU, with the reason
     * @throws dev.tilewright.reference.fault.ReferenceException if the program makes a mistake that the reference names
     */
    public void check(String name, Launch launch, RecordedArray... buffers) {
        NotNull.all("name, launch, buffers", name, launch, buffers);
        List<RecordedArray> arrays = List.of(buffers);
        boolean passed = false;
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> memory = arrays.stream().map(a -> a.memory(arena)).toList();
            List<MemorySegment> copies = records ? memory.stream().map(m -> arena.allocate(m.byteSize(), ALIGNMENT)
                    .copyFrom(m)).toList() : List.of();
            if (records) {
                // First: a kernel that would wait for ever, or write elsewhere, does not come to the GPU.
                Reference.run(launch, memory);
                record(name, launch, arrays, copies, memory);
            } else {
                KernelCase recorded = recorded(name);
                requireCurrent(recorded, launch, arrays);
                Reference.run(launch, memory);
                requireSame(recorded, memory);
            }
            passed = true;
        } finally {
            failed |= !passed;
        }
    }

    /**
     * Records a builder's kernel, or holds the reference executor against what was recorded of it. The result and the
     * workspace are made here.
     *
     * @param scalars what the step's scalars are, {@link Scalars#NONE} for none
     * @param sources as many as the step takes, of the kernel's type and one shape
     */
    public void check(String name, ElementwiseKernel kernel, Scalars scalars, RecordedArray... sources) {
        NotNull.all("name, kernel, scalars, sources", name, kernel, scalars, sources);
        List<RecordedArray> all = new ArrayList<>(List.of(sources));
        List<Long> shape = KernelMemory.shape(kernel, all, RecordedArray::type, RecordedArray::shape);
        Launch launch = kernel.launch(shape, scalars);
        all.add(RecordedArray.result(kernel.resultType(), shape.stream().mapToLong(Long::longValue).toArray()));
        all.add(RecordedArray.result(ElementType.U8, kernel.workspaceBytes(launch)));
        check(name, launch, all.toArray(RecordedArray[]::new));
    }

    private KernelCase recorded(String name) {
        KernelCase recorded = cases.get(name);
        if (recorded == null) {
            throw new AssertionFailedError("the recording " + file + " has no case '" + name + "', only "
                    + cases.keySet() + ": " + remedy());
        }
        return recorded;
    }

    private void requireCurrent(KernelCase recorded, Launch launch, List<RecordedArray> arrays) {
        List<String> inputs = arrays.stream().map(RecordedArray::toString).toList();
        String changed = !recorded.program().equals(KernelCase.hash(launch.program()))
                ? "kernel '" + launch.program().name() + "' has changed since"
                : !recorded.launch().equals(KernelCase.hash(launch))
                ? "the launch has other arguments, or another grid, now"
                : recorded.inputs().equals(inputs) ? "" : "its inputs were " + recorded.inputs() + ", and are "
                + inputs;
        if (!changed.isEmpty()) {
            throw new StaleRecordingError("the recording " + file + " is stale: case '" + recorded.name()
                    + "' was recorded on " + origin + ", and " + changed + "; " + remedy());
        }
    }

    private static String remedy() {
        return "record it on a machine with a GPU, with -D" + RECORD + "=true";
    }

    private void requireSame(KernelCase recorded, List<MemorySegment> after) {
        for (int i = 0; i < after.size(); i++) {
            byte[] ours = after.get(i).toArray(ValueLayout.JAVA_BYTE);
            KernelCase.Output output = recorded.outputs().get(i);
            String what = "case '" + recorded.name() + "' of " + file + ": buffer " + i + " of kernel '"
                    + recorded.kernel() + "' is not what " + origin + " left in it: ";
            output.bytes().ifPresent(theirs -> {
                int at = Arrays.mismatch(theirs, ours);
                if (at >= 0) {
                    throw new AssertionFailedError(what + "byte " + at + " is " + digits(ours, at) + ", recorded is "
                            + digits(theirs, at));
                }
            });
            KernelCase.Output now = KernelCase.Output.of(ours, false);
            if (!now.fnv().equals(output.fnv()) || now.length() != output.length()) {
                throw new AssertionFailedError(what + "the hash of its " + now.length() + " bytes is " + now.fnv()
                        + ", recorded are " + output.length() + " bytes with " + output.fnv());
            }
        }
    }

    private static String digits(byte[] bytes, int at) {
        return at < bytes.length ? "0x" + HexFormat.of().withUpperCase().toHexDigits(bytes[at]) : "not there";
    }

    private void record(String name, Launch launch, List<RecordedArray> arrays, List<MemorySegment> before,
            List<MemorySegment> expected) {
        if (cases.containsKey(name)) {
            throw new IllegalArgumentException("there are two cases '" + name + "' in the recording " + file);
        }
        if (gpu == null) {
            gpu = opener.get();
        }
        gpu.run(launch, before);
        List<byte[]> after = before.stream().map(memory -> memory.toArray(ValueLayout.JAVA_BYTE)).toList();
        for (int i = 0; i < after.size(); i++) {
            ElementDifferences.between(new HostArray(expected.get(i), arrays.get(i).type(), arrays.get(i).shape()),
                    new HostArray(MemorySegment.ofArray(after.get(i)), arrays.get(i).type(), arrays.get(i).shape()))
                    .ifPresent(d -> {
                        throw d.failure("case '" + name + "' is not recorded, because " + gpu.name()
                                + " does otherwise than the reference executor");
                    });
        }
        cases.put(name, new KernelCase(name, launch.program().name(), KernelCase.hash(launch.program()),
                KernelCase.hash(launch), arrays.stream().map(RecordedArray::toString).toList(),
                after.stream().map(bytes -> KernelCase.Output.of(bytes, keepsBytes)).toList()));
    }

    /** Writes the recording, if one is made and every check of it passed; a file of its name is otherwise as it was. */
    @Override
    public void close() {
        if (gpu == null) {
            return;
        }
        try (Gpu used = gpu) {
            if (!failed) {
                RecordingWriter writer = new RecordingWriter(file,
                        new RecordingHeader(DeviceDescription.of(used), 0, List.of(KernelCase.KIND)));
                cases.values().forEach(c -> c.write(writer));
                writer.finish();
            }
        } finally {
            gpu = null;
        }
    }

    /** {@code recording in a.bin}. */
    @Override
    public String toString() {
        return "recording in " + file;
    }
}
