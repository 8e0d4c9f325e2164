package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Presets;
import dev.tilewright.gpu.Driver;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCases;
import dev.tilewright.verify.CopyCheck;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random presets, options, types and shapes on a real GPU; a seed names its cases for good. */
@OnEveryStage
record RandomCasesGpuTest(Stage stage) {

    @ParameterizedTest(name = "100 cases of seed {0}")
    @ValueSource(longs = {1, 2, 3, 20261121})
    void agreeWithTheReference(long seed) {
        Driver driver = stage.driver(Target.SM_90);
        CopyCases cases = new CopyCases(Presets.ALL, seed);
        for (int i = 0; i < 100; i++) {
            CopyCase copyCase = cases.next();
            assertEquals(Optional.empty(), CopyCheck.run(driver, copyCase), copyCase::toString);
        }
    }
}
