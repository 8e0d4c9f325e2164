package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.io.NpyWriter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.kernel.TilePresets;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code audit}: rows of an output, computed again. */
class AuditCommandTest {
    private static final int M = 70;
    private static final int N = 40;
    private static final int K = 48;

    @TempDir
    Path folder;

    private final short[] a = numbers(M * K, 1);
    private final short[] b = numbers(K * N, 2);
    private final short[] c = new short[M * N];
    private final String signature = Gemm.of(ValueType.F16).kernel().signature(Target.SM_90A).hash();

    private static short[] numbers(int count, long seed) {
        Random random = new Random(seed);
        short[] bits = new short[count];
        for (int i = 0; i < count; i++) {
            bits[i] = (short) FloatBits.toF16((float) random.nextGaussian());
        }
        return bits;
    }

    @BeforeEach
    void compute() {
        Gemm.of(ValueType.F16).kernel().onCpu().set("a", a, M, K).set("b", b, K, N).set("c", c, M, N).run();
        write("a.npy", a, M, K);
        write("b.npy", b, K, N);
        write("c.npy", c, M, N);
    }

    private void write(String name, short[] bits, long... shape) {
        try (NpyWriter writer = NpyWriter.create(folder.resolve(name), ElementType.F16,
                Arrays.stream(shape).boxed().toList())) {
            MemorySegment.copy(bits, 0, writer.data(), ValueLayout.JAVA_SHORT_UNALIGNED, 0, bits.length);
            writer.commit();
        }
    }

    private PipedCommand run(String words) {
        return PipedCommand.run("", words.replace("%", folder + "/").replace("@", signature).split(" "));
    }

    @Test
    void whatAgreesIsCounted() {
        assertEquals(new PipedCommand(0, "audited 70 rows agreed 70 disagreed 0\n", ""),
                run("audit gemm --signature @ --inputs a=%a.npy,b=%b.npy --output %c.npy"));
        assertEquals(new PipedCommand(0, "audited 4 rows agreed 4 disagreed 0\n", ""),
                run("audit gemm --signature @ --inputs a=%a.npy,b=%b.npy --output c=%c.npy --rows 69,3-5,4"));
    }

    @Test
    void whatDiffersIsNamed() {
        c[5 * N + 7] ^= 0x100;
        c[66 * N] ^= 1;
        write("c.npy", c, M, N);
        PipedCommand command = run("audit gemm --signature @ --inputs a=%a.npy,b=%b.npy --output %c.npy");
        assertEquals(1, command.code(), command.toString());
        assertEquals(3, command.lines().size());
        assertTrue(command.lines().get(0).startsWith("row 5: 1 byte differs, at byte " + ((5 * N + 7) * 2 + 1)
                + ", in element [5, 7]: expected 0x"), command.out());
        assertTrue(command.lines().get(1).startsWith("row 66: 1 byte differs, at byte " + 66 * N * 2), command.out());
        assertEquals("audited 70 rows agreed 68 disagreed 2", command.lines().getLast());
        assertEquals(0, run("audit gemm --signature @ --inputs a=%a.npy,b=%b.npy --output %c.npy --rows 0-4").code());
        assertTrue(run("audit gemm --signature @ --inputs a=%a.npy,b=%b.npy --output %c.npy --rows 5 --json").out()
                .replaceAll("\\s", "").contains("\"audited\":1,\"agreed\":0,\"disagreed\":1,\"rows\":[{\"row\":5,"));
    }

    @Test
    void anothersSignatureIsRefused() {
        String other = Gemm.of(ValueType.F16).withSplit(2).kernel().signature(Target.SM_90A).hash();
        PipedCommand command = run("audit gemm --type f16 --signature " + other
                + " --inputs a=%a.npy,b=%b.npy --output %c.npy");
        assertEquals(2, command.code());
        assertTrue(command.err().contains("signature " + other + " is another's: kernel 'gemm' has "), command.err());
        assertTrue(command.err().contains(signature + " on sm_90"), command.err());
    }

    @Test
    void wrongRequestsAreRefused() {
        String rest = " --signature @ --inputs a=%a.npy,b=%b.npy --output %c.npy";
        for (List<String> one : List.of(
                List.of("audit gemm" + rest + " --rows 70", "row 70 is not there: 'c' has 70 rows, from 0 on"),
                List.of("audit gemm" + rest + " --rows 5-3",
                        "--rows 5-3 has no rows: give the first, and then the last"),
                List.of("audit gemm" + rest + " --rows x", "--rows x is no row or range of rows, such as 7 or 100-131"),
                List.of("audit soft-max" + rest, "there is no preset 'soft-max': did you mean 'softmax'?"),
                List.of("audit" + rest, "audit takes a preset, with --type or without, or --program with --class-path"),
                List.of("audit bulk-copy" + rest, "audit takes tile kernels, and preset 'bulk-copy' is none"),
                List.of("audit gemm --signature @ --inputs a=%a.npy --output %c.npy",
                        "preset 'gemm' reads a, b: name the file of 'b' with --inputs b=X.npy"),
                List.of("audit gemm --signature @ --inputs a=%a.npy,b=%a.npy --output %c.npy",
                        "kernel 'gemm': dimension 'k' is 70 in tensor 'b' and 48 in tensor 'a'"),
                List.of("audit gemm --signature @ --inputs a=%a.npy,b=%b.npy --output d=%c.npy",
                        "kernel 'gemm' writes c, and no 'd'"))) {
            PipedCommand command = run(one.getFirst());
            assertEquals(2, command.code(), command.toString());
            assertTrue(command.err().contains(one.getLast()), command.err());
        }
    }

    @Test
    void presetsThatWriteTwoArraysSayWhich() {
        String hash = TilePresets.find("add-rms-norm").orElseThrow().kernel(ValueType.F16).signature(Target.SM_80)
                .hash();
        PipedCommand command = run("audit add-rms-norm --signature " + hash + " --inputs x=%a.npy,residual=%a.npy "
                + "--output %a.npy");
        assertEquals(2, command.code());
        assertTrue(command.err().contains("writes sum, y: say which the output is"), command.err());
    }
}
