package dev.tilewright.verify;

import dev.tilewright.gpu.Backend;
import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.gpu.ReferenceDriver;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Predicate;

/** A device that goes wrong on purpose: after each launch it damages the result, which is buffer 1. It can be any GPU. */
public final class DamagingDriver implements Driver {

    /** What goes wrong. */
    public interface Damage {
        /** @param before the result as it was before the launch; @param after as the launch left it, to be changed */
        void apply(MemorySegment before, MemorySegment after);
    }

    private final ReferenceDriver good = new ReferenceDriver();
    private final Target target;
    private final int sharedMemory;
    private final Damage damage;
    private final Predicate<Launch> where;

    public DamagingDriver(Damage damage) {
        this(damage, _ -> true);
    }

    /** @param where of which launches it damages the results */
    DamagingDriver(Damage damage, Predicate<Launch> where) {
        this(Target.SM_90A, 227 * 1024, damage, where);
    }

    DamagingDriver(Target target, int sharedMemory, Damage damage) {
        this(target, sharedMemory, damage, _ -> true);
    }

    private DamagingDriver(Target target, int sharedMemory, Damage damage, Predicate<Launch> where) {
        this.where = where;
        this.target = target;
        this.sharedMemory = sharedMemory;
        this.damage = damage;
    }

    @Override
    public void launch(LoadedKernel kernel, Launch launch, List<DeviceBuffer> buffers) {
        DeviceBuffer result = buffers.get(1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment before = arena.allocate(result.bytes());
            MemorySegment after = arena.allocate(result.bytes());
            good.download(result, before);
            good.launch(kernel, launch, buffers);
            good.download(result, after);
            if (where.test(launch)) {
                damage.apply(before, after);
                good.upload(after, result);
            }
        }
    }

    @Override
    public Backend backend() {
        return Backend.GPU;
    }

    @Override
    public String name() {
        return "this GPU";
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public int sharedMemoryPerBlock() {
        return sharedMemory;
    }

    @Override
    public DeviceBuffer allocate(long bytes) {
        return good.allocate(bytes);
    }

    @Override
    public void upload(MemorySegment host, DeviceBuffer to) {
        good.upload(host, to);
    }

    @Override
    public void download(DeviceBuffer from, MemorySegment host) {
        good.download(from, host);
    }

    @Override
    public void fill(DeviceBuffer buffer, byte value) {
        good.fill(buffer, value);
    }

    @Override
    public void copy(DeviceBuffer from, DeviceBuffer to, long bytes) {
        good.copy(from, to, bytes);
    }

    @Override
    public LoadedKernel load(TileProgram program) {
        return good.load(program);
    }

    @Override
    public void synchronize() {
        good.synchronize();
    }

    @Override
    public void close() {
        good.close();
    }
}
