package dev.tilewright.gpu.streaming;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import java.util.ArrayList;
import java.util.List;

/** An elementwise kernel as the work of slabs, each of which is an array of its own. */
record KernelWork(Launchable kernel, Scalars scalars, ArrayCut cut) implements SlabWork {

    Launch launch(long rows) {
        return kernel.launch(cut.shape(rows), scalars);
    }

    @Override
    public SlabStep open(Slot slot) {
        Kernel loaded = slot.gpu().load(kernel);
        try {
            return new Step(slot, loaded);
        } catch (RuntimeException | Error e) {
            loaded.close();
            throw e;
        }
    }

    private final class Step implements SlabStep {
        private final Slot slot;
        private final Kernel loaded;
        private final Buffer<byte[]> workspace;
        private long rows;
        private KernelLaunch prepared;

        Step(Slot slot, Kernel loaded) {
            this.slot = slot;
            this.loaded = loaded;
            long bytes = kernel.workspaceBytes(launch(slot.mostRows()));
            this.workspace = bytes == 0 ? null : slot.gpu().bytes(bytes);
        }

        @Override
        public void start(Slab slab) {
            if (prepared == null || rows != slab.rows()) {
                prepared = prepare(slab);
                rows = slab.rows();
            }
            prepared.start();
        }

        private KernelLaunch prepare(Slab slab) {
            List<Buffer<?>> buffers = new ArrayList<>();
            for (int i = 0; i < kernel.arrays().size() - 1; i++) {
                buffers.add(slab.input(i));
            }
            buffers.add(slab.output());
            if (workspace != null) {
                buffers.add(workspace);
            }
            return loaded.prepare(launch(slab.rows()), buffers.toArray(Buffer<?>[]::new)).on(slot.stream());
        }

        @Override
        public void close() {
            try (loaded) {
                if (workspace != null) {
                    workspace.close();
                }
            }
        }
    }
}
