package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.LoweredKernel;
import dev.tilewright.tile.kernel.Gemm;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of tiles that take the same time the largest is chosen, then the squarest, then the widest. */
class TileSizeTest {
    @ParameterizedTest
    @CsvSource({"BF16, true, 8191, 8185, 8184, 128 x 256", "F32, false, 4096, 4096, 4096, 128 x 256",
            "F64, false, 4096, 4096, 4096, 128 x 128"})
    void tiesAreBroken(ValueType type, boolean byColumns, long m, long n, long k, String tile) {
        Gemm gemm = Gemm.of(type);
        LoweredKernel lowered = (byColumns ? gemm.withTransposedB() : gemm).kernel()
                .lowered(Target.SM_90A, Map.of("m", m, "n", n, "k", k));
        assertTrue(lowered.toString().contains("tiles of " + tile + ": "), lowered::toString);
    }
}
