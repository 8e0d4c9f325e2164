package dev.tilewright.gpu;

import dev.tilewright.hazard.HazardCheck;
import dev.tilewright.hazard.HazardException;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.NotAnalysed;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A driver that checks each program for hazards before its first launch, and its first in clusters of another size, on
 * the CPU and on copies of the launch's buffers: for use while a kernel is written. All else is the other driver's.
 *
 * <p>A program that comes to what the check cannot follow, such as an instruction that only sm_100 and later have, is
 * launched all the same if nothing was found before; that it is not analysed is said once, with the instruction.
 *
 * <p>Of a launch that is too large to be followed as a whole, only the first blocks are checked, up to the limit of the
 * options.
 */
public final class HazardCheckingDriver implements Driver {
    private final Driver driver;
    private static final Logger LOG = System.getLogger(HazardCheckingDriver.class.getName());

    private final HazardOptions options;
    private final Consumer<String> notes;
    private final Set<TileProgram> checked = new HashSet<>();

    /**
     * One that warns of what is not analysed through {@link System.Logger}.
     *
     * @param driver does everything else, and is closed with this one
     */
    public HazardCheckingDriver(Driver driver, HazardOptions options) {
        Objects.requireNonNull(driver, "driver");
        Objects.requireNonNull(options, "options");
        this(driver, options, note -> LOG.log(Level.WARNING, note));
    }

    /**
     * One that hands out in words what is not analysed.
     *
     * @param driver does everything else, and is closed with this one
     * @param notes is given a line for each program that could not be followed to its end, before its first launch
     */
    public HazardCheckingDriver(Driver driver, HazardOptions options, Consumer<String> notes) {
        this.driver = Objects.requireNonNull(driver, "driver");
        this.options = Objects.requireNonNull(options, "options");
        this.notes = Objects.requireNonNull(notes, "notes");
    }

    /**
     * Starts a kernel; see {@link Driver#launch}.
     *
     * @throws HazardException if it is the program's first launch here and has hazards: nothing was launched
     * @throws dev.tilewright.BadRequestException if not even its first blocks are small enough to be checked
     */
    @Override
    public void launch(LoadedKernel kernel, Launch launch, List<DeviceBuffer> buffers) {
        Objects.requireNonNull(kernel, "kernel");
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(buffers, "buffers");
        Launches.check(kernel, launch, buffers);
        if (launch.blocks() > 0 && !checked.contains(launch.resolved().program())) {
            check(launch, buffers);
            checked.add(launch.resolved().program());
        }
        driver.launch(kernel, launch, buffers);
    }

    private void check(Launch launch, List<DeviceBuffer> buffers) {
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> copies = BufferCopies.of(buffers, driver, arena);
            int fitting = HazardCheck.blocksThatFit(launch, copies, options);
            boolean whole = options.firstBlocks() == 0 && fitting >= launch.blocks();
            int asked = options.firstBlocks() == 0 ? Integer.MAX_VALUE : options.firstBlocks();
            HazardReport report = HazardCheck.check(launch, copies,
                    whole ? options : options.withFirstBlocks(Math.min(asked, Math.max(1, fitting))));
            if (!report.isClean()) {
                throw new HazardException(report);
            }
            if (!report.isAnalysed()) {
                notes.accept("kernel '" + report.kernel() + "' is launched without being checked to its end: "
                        + report.notAnalysed().stream().map(NotAnalysed::toString).collect(Collectors.joining("; ")));
            }
        }
    }

    @Override
    public Backend backend() {
        return driver.backend();
    }

    @Override
    public boolean definesResults() {
        return driver.definesResults();
    }

    @Override
    public String name() {
        return driver.name();
    }

    @Override
    public Target target() {
        return driver.target();
    }

    @Override
    public int sharedMemoryPerBlock() {
        return driver.sharedMemoryPerBlock();
    }

    @Override
    public DeviceBuffer allocate(long bytes) {
        return driver.allocate(bytes);
    }

    @Override
    public void upload(MemorySegment host, DeviceBuffer to) {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(to, "to");
        driver.upload(host, to);
    }

    @Override
    public void download(DeviceBuffer from, MemorySegment host) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(host, "host");
        driver.download(from, host);
    }

    @Override
    public void fill(DeviceBuffer buffer, byte value) {
        Objects.requireNonNull(buffer, "buffer");
        driver.fill(buffer, value);
    }

    @Override
    public void copy(DeviceBuffer from, DeviceBuffer to, long bytes) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(to, "to");
        driver.copy(from, to, bytes);
    }

    @Override
    public LoadedKernel load(TileProgram program) {
        Objects.requireNonNull(program, "program");
        return driver.load(program);
    }

    @Override
    public void synchronize() {
        driver.synchronize();
    }

    @Override
    public double time(Runnable work) {
        Objects.requireNonNull(work, "work");
        return driver.time(work);
    }

    @Override
    public void close() {
        driver.close();
    }

    /** {@code the reference executor, behind a hazard check}. */
    @Override
    public String toString() {
        return driver + ", behind a hazard check";
    }
}
