package llama;

import dev.tilewright.ptx.Target;
import dev.tilewright.tile.CpuLaunch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The CPU: the bytes are those of a GPU of a target. */
final class CpuDevice implements Device {
    private final Arena arena = Arena.ofShared();
    private final Target target;

    /** @param target whose products of matrices are computed */
    CpuDevice(Target target) {
        this.target = target;
    }

    private record Bytes(MemorySegment segment) implements Memory {
        @Override
        public void write(long offset, MemorySegment from) {
            MemorySegment.copy(from, 0, segment, offset, from.byteSize());
        }

        @Override
        public void read(long offset, MemorySegment to) {
            MemorySegment.copy(segment, offset, to, 0, to.byteSize());
        }
    }

    @Override
    public Memory allocate(long bytes) {
        return new Bytes(arena.allocate(bytes, 64));
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public Plan plan(List<Call> calls) {
        List<CpuLaunch> launches = calls.stream().map(this::launch).toList();
        return new Plan() {
            @Override
            public void run(int times) {
                for (int i = 0; i < times; i++) {
                    launches.forEach(CpuLaunch::run);
                }
            }

            @Override
            public void close() {
                // Launches on the CPU hold nothing.
            }
        };
    }

    private CpuLaunch launch(Call call) {
        CpuLaunch launch = call.kernel().onCpu().arithmetic(call.kernel().arithmetic(target));
        call.arrays().forEach((name, argument) -> launch.set(name,
                ((Bytes) argument.memory()).segment().asSlice(argument.offset()), argument.shape()));
        call.scalars().forEach(launch::scalar);
        return launch;
    }

    @Override
    public void close() {
        arena.close();
    }
}
