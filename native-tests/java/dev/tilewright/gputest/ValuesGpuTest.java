package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.emit.ValueCase;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.JCudaInterop;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.draw.ValueOperands;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation on values and every conversion, as it is emitted, on random and special operands: the GPU and the CPU
 * have the same bits. All that differs is printed, not only the first.
 */
@Order(4)
@Tag("gpu")
class ValuesGpuTest {
    private static final int COUNT = Integer.getInteger("tilewright.tests.values", 1_000_000);
    private static final int KERNELS_AT_ONCE = 256;
    /** Tests that the operations are shared out to, for tests run on all processors. */
    private static final int PARTS = 16;
    private static final int SHOWN = 6;
    /** Calls with constants. */
    private static final int CALLS = 12;

    /** Drawn once for all parts: they depend on nothing but the key. */
    private static final Map<String, long[]> OPERANDS = new ConcurrentHashMap<>();

    private final Map<String, Buffer<long[]>> buffers = new HashMap<>();

    static IntStream parts() {
        return IntStream.range(0, PARTS);
    }

    @ParameterizedTest
    @MethodSource("parts")
    void theSameBits(int part) {
        Gpu gpu = TestGpu.atLeast(Target.SM_80);
        Nvrtc nvrtc = Nvrtc.find(Progress.NONE);
        List<ValueCase> all = ValueCase.all().stream()
                .filter(c -> c.gate().admits(nvrtc.ptxVersion(), gpu.target())).toList();
        List<ValueCase> cases = all.subList(all.size() * part / PARTS, all.size() * (part + 1) / PARTS);
        List<String> different = new ArrayList<>();
        long compared = 0;
        try (Arena arena = Arena.ofConfined(); Stream stream = gpu.stream(); Buffer<long[]> out = gpu.longs(COUNT)) {
            MemorySegment host = arena.allocate(8L * COUNT, 64);
            byte[] cubin = nvrtc.compile(ValueCase.source(cases), "values", gpu.target(),
                    KernelCompiler.OPTIONS);
            gpu.synchronize();
            CUmodule module = new CUmodule();
            assertEquals(0, JCudaDriver.cuModuleLoadData(module, cubin));
            for (ValueCase c : cases) {
                launch(stream, module, c, out);
                out.download(host);
                compared += compare(c, host, different);
            }
            assertEquals(0, JCudaDriver.cuModuleUnload(module));
        } finally {
            buffers.values().forEach(Buffer::close);
        }
        System.err.println(cases.size() + " operations on values, " + compared + " results compared on "
                + gpu.name());
        different.forEach(System.err::println);
        assertTrue(compared > 0);
        assertEquals(List.of(), different.stream().map(d -> d.substring(0, d.indexOf(':'))).toList());
    }

    /** Operands that the compiler knows: what it computes itself has the same bits too. */
    @Test
    void theSameBitsOfConstants() {
        Gpu gpu = TestGpu.atLeast(Target.SM_80);
        Nvrtc nvrtc = Nvrtc.find(Progress.NONE);
        List<ValueCase> cases = ValueCase.all().stream()
                .filter(c -> c.gate().admits(nvrtc.ptxVersion(), gpu.target())).toList();
        List<String> different = new ArrayList<>();
        int compared = 0;
        try (Arena arena = Arena.ofConfined(); Stream stream = gpu.stream(); Buffer<long[]> out = gpu.longs(CALLS)) {
            MemorySegment host = arena.allocate(8L * CALLS, 64);
            for (int first = 0; first < cases.size(); first += KERNELS_AT_ONCE) {
                List<ValueCase> some = cases.subList(first, Math.min(cases.size(), first + KERNELS_AT_ONCE));
                List<long[][]> words = some.stream().map(ValuesGpuTest::calls).toList();
                byte[] cubin = nvrtc.compile(ValueCase.constantSource(some, words), "constants", gpu.target(),
                        KernelCompiler.OPTIONS);
                gpu.synchronize();
                CUmodule module = new CUmodule();
                assertEquals(0, JCudaDriver.cuModuleLoadData(module, cubin));
                for (int i = 0; i < some.size(); i++) {
                    ValueCase c = some.get(i);
                    CUfunction function = new CUfunction();
                    assertEquals(0, JCudaDriver.cuModuleGetFunction(function, module, c.name()));
                    assertEquals(0, JCudaDriver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0,
                            JCudaInterop.stream(stream), Pointer.to(Pointer.to(JCudaInterop.pointer(out))),
                            null), c.name());
                    out.download(host);
                    for (int call = 0; call < CALLS; call++) {
                        long[] w = words.get(i)[call];
                        long expected = c.function().applyAsLong(w[0], w[1], w[2]);
                        long got = host.getAtIndex(ValueLayout.JAVA_LONG, call);
                        compared++;
                        if (got != expected) {
                            different.add(c.name() + " of constants: (" + hex(c.inputs().getFirst(), w[0])
                                    + (c.inputs().size() > 1 ? ", " + hex(c.inputs().get(1), w[1]) : "")
                                    + (c.inputs().size() > 2 ? ", " + hex(c.inputs().get(2), w[2]) : "") + ") gpu "
                                    + hex(c.output(), got) + " cpu " + hex(c.output(), expected));
                        }
                    }
                }
                assertEquals(0, JCudaDriver.cuModuleUnload(module));
            }
        }
        System.err.println(compared + " results of operations on constants compared on " + gpu.name());
        different.forEach(System.err::println);
        assertTrue(compared > 0);
        assertEquals(List.of(), different);
    }

    /** Special operands above all. */
    private static long[][] calls(ValueCase c) {
        long[][] words = new long[3][];
        for (int k = 0; k < 3; k++) {
            words[k] = ValueOperands.words(c.inputs().get(Math.min(k, c.inputs().size() - 1)), 64 * CALLS, 31 + k,
                    new long[0]);
        }
        long[][] calls = new long[CALLS][];
        int found = 0;
        for (int i = 0; found < CALLS; i++) {
            if (c.inputs().size() == 1 || !c.isUndefined(words[1][i])) {
                calls[found++] = new long[] {words[0][i], words[1][i], words[2][i]};
            }
        }
        return calls;
    }

    private void launch(Stream stream, CUmodule module, ValueCase c, Buffer<long[]> out) {
        CUfunction function = new CUfunction();
        assertEquals(0, JCudaDriver.cuModuleGetFunction(function, module, c.name()));
        Pointer[] arguments = new Pointer[5];
        for (int k = 0; k < 3; k++) {
            int used = Math.min(k, c.inputs().size() - 1);
            arguments[k] = Pointer.to(JCudaInterop.pointer(buffer(stream.gpu(), c, used)));
        }
        arguments[3] = Pointer.to(JCudaInterop.pointer(out));
        arguments[4] = Pointer.to(new int[] {COUNT});
        assertEquals(0, JCudaDriver.cuLaunchKernel(function, 1024, 1, 1, 256, 1, 1, 0,
                JCudaInterop.stream(stream), Pointer.to(arguments), null), c.name());
    }

    private long compare(ValueCase c, MemorySegment host, List<String> different) {
        long[] xs = operand(c, 0);
        long[] ys = operand(c, Math.min(1, c.inputs().size() - 1));
        long[] zs = operand(c, Math.min(2, c.inputs().size() - 1));
        int[] wrong = IntStream.range(0, COUNT).filter(i -> !(c.inputs().size() > 1 && c.isUndefined(ys[i]))
                && c.function().applyAsLong(xs[i], ys[i], zs[i]) != host.getAtIndex(ValueLayout.JAVA_LONG,
                        i)).toArray();
        if (wrong.length > 0) {
            StringBuilder text = new StringBuilder(c.name() + ": " + wrong.length + " of " + COUNT + " differ");
            // The first ones, and some from everywhere.
            IntStream.range(0, Math.min(SHOWN, wrong.length)).map(k -> wrong[(int) ((long) k * wrong.length / SHOWN)])
                    .forEach(i -> {
                        text.append("\n    (");
                        for (int k = 0; k < c.inputs().size(); k++) {
                            text.append(k == 0 ? "" : ", ").append(hex(c.inputs().get(k), operand(c, k)[i]));
                        }
                        text.append(") gpu ").append(hex(c.output(), host.getAtIndex(ValueLayout.JAVA_LONG, i)))
                                .append(" cpu ").append(hex(c.output(), c.function().applyAsLong(xs[i], ys[i], zs[i])));
                    });
            different.add(text.toString());
        }
        return COUNT;
    }

    private static String hex(ValueType type, long word) {
        long bits = type.bits() == 64 ? word : word & (1L << type.bits()) - 1;
        return String.format("%0" + Math.max(1, type.bits() / 4) + "x", bits);
    }

    private Buffer<long[]> buffer(Gpu gpu, ValueCase c, int k) {
        return buffers.computeIfAbsent(key(c, k), _ -> gpu.upload(operand(c, k)));
    }

    private long[] operand(ValueCase c, int k) {
        long[] found = OPERANDS.get(key(c, k));
        if (found == null) {
            long[] before = k == 0 || c.inputs().get(k - 1) != c.inputs().get(k) ? new long[0] : operand(c, k - 1);
            found = ValueOperands.words(c.inputs().get(k), COUNT, 1 + k, before);
            if (k == 2 && ValueMath.hasFma(c.inputs().getFirst())) {
                cancelProducts(c.output(), operand(c, 0), operand(c, 1), found);
            }
            OPERANDS.put(key(c, k), found);
        }
        return found;
    }

    /** Every fourth summand of a fused multiply-add becomes about the product with the other sign. */
    private static void cancelProducts(ValueType type, long[] xs, long[] ys, long[] zs) {
        LongBinaryOperator product = ValueMath.binary(BinaryOp.MUL, type);
        LongUnaryOperator negate = ValueMath.unary(UnaryOp.NEGATE, type);
        for (int i = 0; i < zs.length; i += 4) {
            zs[i] = type.word(negate.applyAsLong(product.applyAsLong(xs[i], ys[i])) + i / 4 % 5 - 2);
        }
    }

    private static String key(ValueCase c, int k) {
        return k + " " + c.inputs().subList(0, k + 1);
    }
}
