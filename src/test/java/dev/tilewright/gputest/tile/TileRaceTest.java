package dev.tilewright.gputest.tile;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.bench.rival.PlainProduct;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What races measure can be measured: a GPU's time is not lost to a wrong word in a file. */
@Order(16)
class TileRaceTest {
    @ParameterizedTest
    @ValueSource(strings = {"rows", "products", "types", "kernels", "schedules"})
    void eachLineNamesWhatItsKernelHas(String race) {
        assertTrue(RaceSubject.all(race).size() > 8);
        for (RaceSubject subject : RaceSubject.all(race)) {
            TileKernel kernel = subject.kernel();
            assertEquals(kernel.dims().stream().map(Dim::name).collect(Collectors.toSet()), subject.extents().keySet(),
                    subject.title());
            Set<String> tensors = kernel.tensors().stream().map(Tensor::name).collect(Collectors.toSet());
            assertTrue(tensors.containsAll(subject.moved().orElse(List.of())), subject.title());
            assertEquals(subject.beside("cuMemcpy"), subject.moved().isPresent(), subject.title());
            assertEquals(subject.beside("cuBLAS"), subject.operations() > 0 && PlainProduct.of(subject.preset(),
                    subject.type()).isPresent(), subject.title());
            subject.schedules().stream().filter(schedule -> Thorough.takes(schedule.hashCode(), 4)
                    && !schedule.equals("none") && !schedule.equals("cluster=1x1"))
                    .forEach(schedule -> assertDoesNotThrow(() -> kernel.with(Schedule.parse(schedule)).lowered(
                            Target.SM_90A, subject.extents()), subject.title() + schedule));
        }
    }

    @Test
    void smallSubjectsAreTimedAndCompared() {
        try (Gpu gpu = Gpu.emulated()) {
            TileRace race = new TileRace(gpu, 1 << 16, System.err);
            assertTrue(race.run(RaceSubject.of("- | row-sums f32 | rows=5 columns=64 | none; threads=64 | moves x "
                    + "| cuMemcpy")));
            assertTrue(race.run(RaceSubject.of("turned, | transpose f32 | rows=8 columns=64 | none | moves "
                    + "| cuMemcpy")));
        }
    }

    @Test
    void aWrongByteOfAKernelThatIsNotCutIntoRowsIsFound() {
        TileKernel kernel = RaceSubject.of("- | transpose u8 | rows=8 columns=64 | none | moves").kernel();
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel);
                TileArrays arrays = new TileArrays(gpu, kernel, Map.of("rows", 8L, "columns", 64L), 1)) {
            arrays.launch(loaded, 0).prepare().start();
            assertEquals(Optional.empty(), arrays.expectResults());
            arrays.array(0, "y").slice(16, 16).fill((byte) 99);
            assertEquals(Optional.of("byte 16 of 'y' is not the executor's"), arrays.expectResults());
        }
    }
}
