package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardException;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Expr;
import dev.tilewright.program.GridKernels;
import dev.tilewright.program.Input;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.copy.StBulk;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A driver that checks programs before it launches them. */
class HazardCheckingDriverTest {
    private static final int BYTES = 4096;
    private static final TileKernel KERNEL = BulkCopy.of(ElementType.U8).tile(256).build();

    /** The kernel's launch, of a program without its last step: the wait before the end. */
    private static Launch broken() {
        Launch launch = KERNEL.launch(List.of((long) BYTES), 0);
        TileProgram p = launch.program();
        List<Step> steps = new ArrayList<>(p.body());
        Operation.Guard last = (Operation.Guard) steps.removeLast().operation();
        List<Step> body = last.body().subList(0, last.body().size() - 1);
        steps.add(new Step("all but the wait", new Operation.Guard(last.condition(), body, last.otherwise())));
        return new Launch(new TileProgram(p.name(), p.purpose(), p.threads(), p.parameters(), p.shared(), steps), launch.blocks(),
                launch.arguments());
    }

    private static void launch(Driver driver, Launch launch, MemorySegment input, MemorySegment output) {
        try (LoadedKernel kernel = driver.load(launch.program());
                DeviceBuffer from = driver.allocate(BYTES);
                DeviceBuffer to = driver.allocate(BYTES)) {
            driver.upload(input, from);
            driver.launch(kernel, launch, List.of(from, to));
            driver.launch(kernel, launch, List.of(from, to));
            driver.synchronize();
            driver.download(to, output);
        }
    }

    @Test
    void aCorrectKernelRuns() {
        try (Arena arena = Arena.ofShared(); Driver driver = new HazardCheckingDriver(new ReferenceDriver(), HazardOptions.DEFAULT)) {
            MemorySegment input = arena.allocate(BYTES);
            input.setAtIndex(ValueLayout.JAVA_BYTE, 4095, (byte) 7);
            MemorySegment output = arena.allocate(BYTES);
            launch(driver, KERNEL.launch(List.of((long) BYTES), 0), input, output);
            assertEquals(-1, input.mismatch(output));
        }
    }

    @Test
    void oneWithAHazardDoesNot() {
        try (Arena arena = Arena.ofShared(); Driver driver = new HazardCheckingDriver(new ReferenceDriver(), HazardOptions.DEFAULT)) {
            HazardException e = assertThrows(HazardException.class,
                    () -> launch(driver, broken(), arena.allocate(BYTES), arena.allocate(BYTES)));
            assertEquals(Set.of(HazardCode.EXIT_IN_FLIGHT), e.report().codes());
            assertEquals(e.report().toString(), e.getMessage());
        }
    }

    /** What is right in one size of clusters may be wrong in another. */
    @Test
    void eachSizeOfClustersIsChecked() {
        Launch alone = new Launch(GridKernels.neighbours(ClusterSize.AT_LAUNCH, false), Dim3.of(4, 4),
                List.of(new Argument.Buffer(0)));
        try (Driver driver = new HazardCheckingDriver(new ReferenceDriver(), HazardOptions.DEFAULT);
                LoadedKernel kernel = driver.load(alone.program()); DeviceBuffer out = driver.allocate(64)) {
            driver.launch(kernel, alone, List.of(out));
            driver.launch(kernel, alone.inClustersOf(Dim3.ONE), List.of(out));
            HazardException e = assertThrows(HazardException.class, () ->
                    driver.launch(kernel, alone.inClustersOf(Dim3.of(1, 2)), List.of(out)));
            assertTrue(e.getMessage().contains("is blockIdx (0, 1, 0)"), e.getMessage());
        }
    }

    @Test
    void ofALargeLaunchTheFirstBlocksAreChecked() {
        try (Arena arena = Arena.ofShared(); Driver driver = new HazardCheckingDriver(new ReferenceDriver(), HazardOptions.DEFAULT.withMostBytes(1024))) {
            HazardException e = assertThrows(HazardException.class,
                    () -> launch(driver, broken(), arena.allocate(BYTES), arena.allocate(BYTES)));
            assertEquals(2, e.report().blocks());
            assertEquals(16, e.report().ofBlocks());
        }
    }

    @Test
    void tooLargeForOneBlockIsSaid() {
        try (Arena arena = Arena.ofShared(); Driver driver = new HazardCheckingDriver(new ReferenceDriver(), HazardOptions.DEFAULT.withMostBytes(100))) {
            String message = assertThrows(BadRequestException.class,
                    () -> launch(driver, broken(), arena.allocate(BYTES), arena.allocate(BYTES))).getMessage();
            assertTrue(message.endsWith("the limit is 100: raise the limit"), message);
        }
    }

    /** On a driver that has such instructions: here one that launches nothing. */
    @Test
    void whatOnlyNewerGpusHaveIsLetThroughAndSaidOnce() {
        Parameter.Pointer out = new Parameter.Pointer("out", true);
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 256, 16);
        TileProgram program = new TileProgram("newer", "clears", 32, List.of(out), new SharedLayout(List.of(buffer)),
                Body.steps(body -> body.purpose("clear").issue(new StBulk().withWeak(), Input.of(buffer.at(Expr.of(0))),
                        Input.of(256L))));
        List<String> notes = new ArrayList<>();
        Launch launch = Launch.of(program, 1, Map.of(out, new Argument.Buffer(0)));
        try (Driver driver = new HazardCheckingDriver(new ReferenceDriver(), HazardOptions.DEFAULT, notes::add);
                LoadedKernel kernel = driver.load(program);
                DeviceBuffer buffer0 = driver.allocate(16)) {
            for (int i = 0; i < 2; i++) {
                // It is launched: what then refuses it is the driver that it goes to.
                ReferenceException e = assertThrows(ReferenceException.class, () -> driver.launch(kernel, launch, List.of(buffer0)));
                assertEquals(Kind.NOT_MODELLED, e.kind());
            }
        }
        assertEquals(1, notes.size());
        assertTrue(notes.getFirst().startsWith("kernel 'newer' is launched without being checked to its end: not analysed: "
                + "st.bulk.weak.shared::cta (needs sm_100), step 1 ('clear', "), notes::toString);
    }

    @Test
    void elseItIsTheOtherDriver() {
        try (Arena arena = Arena.ofShared(); Driver driver = new HazardCheckingDriver(new ReferenceDriver(), HazardOptions.DEFAULT);
                DeviceBuffer from = driver.allocate(4); DeviceBuffer to = driver.allocate(4)) {
            assertEquals(Backend.REFERENCE, driver.backend());
            assertTrue(driver.definesResults());
            driver.fill(from, (byte) 5);
            driver.copy(from, to, 4);
            MemorySegment host = arena.allocate(4);
            driver.download(to, host);
            assertEquals(0x05050505, host.get(ValueLayout.JAVA_INT, 0));
            assertTrue(driver.time(driver::synchronize) >= 0);
        }
    }
}
