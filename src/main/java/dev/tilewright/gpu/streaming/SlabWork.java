package dev.tilewright.gpu.streaming;

/**
 * The work of a {@link Streamer}, prepared for one slot at a time: a kernel is loaded and its launch prepared once for
 * each slot, and then started for many slabs.
 *
 * {@snippet :
 * SlabWork work = slot -> {
 *     KernelLaunch launch = kernel.prepare().grid(blocks).set("in", slot.input()).set("out", slot.output())
 *             .on(slot.stream());
 *     return slab -> launch.set("rows", slab.rows()).start();
 * };
 * }
 */
@FunctionalInterface
public interface SlabWork {

    /**
     * Called once for each slot, by the thread that will use it; several threads call it at once for different slots.
     *
     * @return what happens to each slab in it
     */
    SlabStep open(Slot slot);
}
