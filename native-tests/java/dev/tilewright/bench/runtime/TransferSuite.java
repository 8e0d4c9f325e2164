package dev.tilewright.bench.runtime;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Scratch;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.rival.RivalProcess;
import dev.tilewright.gpu.Gpu;
import java.util.List;

/** Copies between host and device, and data larger than the GPU that goes through it. */
public final class TransferSuite extends Suite {
    /** An array of Java's, in bytes. */
    private static final int ARRAY = 64 << 20;
    /** Each turn of streaming moves 64 GiB and more, so a few say enough. */
    private static final int MOST_TURNS_OF_STREAMING = 3;
    private final RivalProcess rival;

    /** @param rival the C++ side */
    public TransferSuite(RivalProcess rival) {
        super("transfer", "pinned, pageable and streamed copies between host and device, up, down and both ways, "
                + "against C++", true);
        this.rival = rival;
    }

    /** The first size that was chosen, 1 GiB by default, is what is copied; 32 and 16 times that are streamed. */
    @Override
    public void run(Bench bench) {
        long bytes = bench.settings().sizes(1L << 30).getFirst();
        ContenderRows rows = new ContenderRows(bench, name(), rival);
        int rounds = bench.settings().rounds();
        double both;
        try (HostCopies copies = new HostCopies(bench.gpu(), bytes, (int) Math.min(ARRAY, bytes), rounds, rival,
                rows)) {
            both = copies.run();
        }
        List<Gpu> gpus = Gpu.choose().openAll();
        try (Scratch scratch = new Scratch(); Streaming streaming =
                new Streaming(gpus, RivalKernels.packed(), 32 * bytes, 16 * bytes,
                Math.min(rounds, MOST_TURNS_OF_STREAMING), rival, rows)) {
            streaming.run(both, scratch.folder());
        } finally {
            gpus.forEach(Gpu::close);
        }
    }
}
