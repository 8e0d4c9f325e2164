package dev.tilewright.gputest;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.gpu.CudaDriver;
import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Drivers;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.ReduceKernels;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.reference.box.Reduction;
import dev.tilewright.tensormap.TiledTensorMap;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;

/**
 * Records what a Hopper GPU's bulk reductions make of pairs of elements, as {@code reduce} rows: the instruction's
 * {@code form} (linear, shared or tensor), {@code op}, {@code type}, and as hex the {@code old} elements, the
 * {@code value} elements and the {@code result}. Every pair of the special values of a type is there, the rest is random.
 */
public final class RecordReductions {
    private static final int BYTES = ReduceKernels.BYTES;
    private static final long SEED = 20261122;
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Zeros, ones, infinities, NaNs quiet and signalling with payloads, subnormals, the largest, of each sign. */
    private static final int[] HALVES = {0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0xFD55, 1, 0x8001, 0x3FF,
        0x83FF, 0x400, 0x8400, 0x7BFF, 0xFBFF, 0x3C01, 0x1400};
    private static final int[] BRAINS = {0, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81, 0xFFAA, 1, 0x8001, 0x7F,
        0x807F, 0x80, 0x8080, 0x7F7F, 0xFF7F, 0x3F81, 0x3B80};
    private static final int[] FLOATS = {0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345,
        0x7F800001, 0xFFA54321, 1, 0x80000001, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800001,
        0x33800000};
    private static final long[] DOUBLES = {0, 1L << 63, 0x3FF0000000000000L, 0xBFF0000000000000L, 0x7FF0000000000000L,
        0xFFF0000000000000L, 0x7FF8000000000000L, 0xFFF8000012345678L, 0x7FF0000000000001L, 0xFFF4567800000000L, 1, (1L << 63) | 1,
        0xFFFFFFFFFFFFFL, 0x800FFFFFFFFFFFFFL, 0x10000000000000L, 0x8010000000000000L, 0x7FEFFFFFFFFFFFFFL, 0xFFEFFFFFFFFFFFFFL,
        0x3FF0000000000001L, 0x3CA0000000000000L, 0x7FFC00000000ABCDL, 0xFFFFFFFFFFFFFFFFL};
    private static final long[] INTEGERS = {0, 1, 2, 0x7FFFFFFFL, 0x80000000L, 0x80000001L, 0xFFFFFFFFL, 0xFFFFFFFEL, 0x100000000L,
        0x7FFFFFFFFFFFFFFFL, 1L << 63, -1L, -2L, 0x5555555555555555L, 0xAAAAAAAAAAAAAAAAL};

    private RecordReductions() {
    }

    /**
     * @param args the file to write, gzip; then one of linear, shared and tensor, and an operation: an instruction that
     *     faults ends the process
     */
    public static void main(String[] args) throws IOException {
        if (args.length != 3) {
            System.err.println("usage: RecordReductions FILE.jsonl.gz linear|shared|tensor OP");
            System.exit(2);
        }
        AtomicOp wanted = AtomicOp.valueOf(args[2].toUpperCase(java.util.Locale.ROOT));
        try (CudaDriver gpu = Drivers.gpu(); BufferedWriter out = new BufferedWriter(new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(Path.of(args[0]))), StandardCharsets.UTF_8))) {
            if (gpu.target().major() != 9) {
                System.err.println(gpu.name() + " is " + gpu.target() + ", the recordings are for sm_90");
                System.exit(3);
            }
            switch (args[1]) {
                case "linear" -> linear(out, gpu, wanted);
                case "shared" -> shared(out, gpu, wanted);
                default -> tensor(out, gpu, wanted);
            }
        }
    }

    private static void linear(BufferedWriter out, CudaDriver gpu, AtomicOp op) throws IOException {
        for (BulkReduce form : Catalogue.forms(BulkReduce.class).filter(f -> !f.cacheHint() && f.op() == op).toList()) {
            String type = form.type().toString();
            write(out, gpu, "linear", op, type, type, ReduceKernels.linear(form), List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
        }
    }

    private static void shared(BufferedWriter out, CudaDriver gpu, AtomicOp op) throws IOException {
        for (BulkClusterReduce form : Catalogue.forms(BulkClusterReduce.class).filter(f -> f.op() == op).toList()) {
            String type = form.type().toString();
            write(out, gpu, "shared", op, type, type, ReduceKernels.withinCluster(form),
                    List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
        }
    }

    private static void tensor(BufferedWriter out, CudaDriver gpu, AtomicOp op) throws IOException {
        for (TensorDataType type : TensorDataType.values()) {
            if (Reduction.tensorTypes(op).contains(type)) {
                int elements = BYTES / type.bytes();
                TiledTensorMap map = TiledTensorMap.denseInnermostFirst(type, List.of((long) elements), List.of(256), Swizzle.NONE);
                write(out, gpu, "tensor", op, type.name(), kind(type), ReduceKernels.tensor(op, elements),
                        List.of(new Argument.Tensor(map, 0), new Argument.Buffer(1)));
            }
        }
    }

    /** The special values that a type is tried with. */
    private static String kind(TensorDataType type) {
        return switch (type) {
            case FLOAT16 -> "f16";
            case BFLOAT16 -> "bf16";
            case FLOAT32, FLOAT32_FTZ, TFLOAT32, TFLOAT32_FTZ -> "f32";
            case FLOAT64 -> "f64";
            default -> type.bytes() == 8 ? "u64" : "u32";
        };
    }

    private static void write(BufferedWriter out, CudaDriver gpu, String form, AtomicOp op, String type, String kind,
            TileProgram program, List<Argument> arguments) throws IOException {
        byte[] old = new byte[BYTES];
        byte[] value = new byte[BYTES];
        fill(kind, old, value, new SplittableRandom(SEED + 31L * op.ordinal() + type.hashCode()));
        ObjectNode row = JSON.createObjectNode();
        System.err.println(form + " " + op + " " + type);
        row.put("kind", "reduce").put("form", form).put("op", op.toString()).put("type", type);
        HexFormat hex = HexFormat.of();
        row.put("old", hex.formatHex(old)).put("value", hex.formatHex(value)).put("result", hex.formatHex(run(gpu, program, arguments, old, value)));
        out.write(row.toString());
        out.newLine();
    }

    private static byte[] run(CudaDriver gpu, TileProgram program, List<Argument> arguments, byte[] old, byte[] value) {
        try (Arena arena = Arena.ofShared(); LoadedKernel kernel = gpu.load(program);
                DeviceBuffer into = gpu.allocate(BYTES); DeviceBuffer values = gpu.allocate(BYTES)) {
            MemorySegment staging = arena.allocate(BYTES, 64);
            gpu.upload(staging.copyFrom(MemorySegment.ofArray(old)), into);
            gpu.upload(arena.allocate(BYTES, 64).copyFrom(MemorySegment.ofArray(value)), values);
            gpu.launch(kernel, new Launch(program, program.clusterBlocks(), arguments), List.of(into, values));
            MemorySegment result = arena.allocate(BYTES, 64);
            gpu.download(into, result);
            return result.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static void fill(String kind, byte[] old, byte[] value, SplittableRandom random) {
        long[] special = switch (kind) {
            case "f16" -> longs(HALVES);
            case "bf16" -> longs(BRAINS);
            case "f32" -> longs(FLOATS);
            case "f64" -> DOUBLES;
            default -> INTEGERS;
        };
        int width = Integer.parseInt(kind.replaceAll("\\D", "")) / 8;
        ByteBuffer a = ByteBuffer.wrap(old).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer b = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < BYTES / width; i++) {
            boolean pair = i < special.length * special.length;
            put(a, width, pair ? special[i / special.length] : random.nextLong());
            put(b, width, pair ? special[i % special.length] : random.nextLong());
        }
    }

    private static long[] longs(int[] values) {
        return java.util.stream.IntStream.of(values).mapToLong(v -> v).toArray();
    }

    private static void put(ByteBuffer to, int width, long bits) {
        switch (width) {
            case 2 -> to.putShort((short) bits);
            case 4 -> to.putInt((int) bits);
            default -> to.putLong(bits);
        }
    }
}
