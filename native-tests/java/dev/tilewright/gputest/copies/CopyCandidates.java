package dev.tilewright.gputest.copies;

import dev.tilewright.BadRequestException;
import dev.tilewright.bench.device.CopyArrays;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.suite.TileReads;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * Prints, for kernels of every builder in many forms, how fast they copy beside cuMemcpy in the same turns: where
 * defaults come from. Every result is compared. Arguments: sizes in MiB, then, behind a {@code :}, the groups, or none
 * for all. Exit code 1 where a result is wrong.
 */
public final class CopyCandidates {
    private static final int TURNS = Integer.getInteger("candidates.turns", 7);
    private static final long COLUMNS = 4096;

    /** @param shift bytes by which arrays begin behind a multiple of 16 */
    private record Candidate(String group, String name, ElementwiseKernel kernel, List<Long> inner,
            IntFunction<GridPolicy> grid, int shift) {
    }

    private final List<Candidate> all = new ArrayList<>();
    private boolean right = true;

    private CopyCandidates() {
    }

    public static void main(String[] args) {
        List<String> words = List.of(args);
        int colon = words.indexOf(":");
        List<String> sizes = colon < 0 ? words : words.subList(0, colon);
        List<String> groups = colon < 0 ? List.of() : words.subList(colon + 1, words.size());
        CopyCandidates candidates = new CopyCandidates();
        candidates.list();
        candidates.all.removeIf(c -> !groups.isEmpty() && !groups.contains(c.group()));
        try (Gpu gpu = Gpu.open()) {
            // Compiled once, by all cores; what is measured finds them in the cache.
            candidates.all.parallelStream().map(c -> c.kernel().program()).distinct().forEach(p -> gpu.load(p).close());
            for (String size : sizes) {
                long bytes = Long.parseLong(size) << 20;
                try (CopyArrays arrays = new CopyArrays(gpu, bytes, 1); DeviceTurns turns = new DeviceTurns(gpu, 1)) {
                    for (Candidate candidate : candidates.all) {
                        candidates.measure(gpu, candidate, arrays, turns);
                    }
                    if (groups.isEmpty() || groups.contains("read")) {
                        candidates.reads(gpu, arrays, turns);
                    }
                }
            }
        }
        System.exit(candidates.right ? 0 : 1);
    }

    private void add(String group, String preset, ElementType type, List<Long> inner, String grid, int shift,
            String choices) {
        Schedule changes = choices.isBlank() ? Schedule.DEFAULT : Schedule.parse(choices.trim());
        String name = preset + " " + choices + (inner.isEmpty() ? "" : " inner " + inner) + " grid " + grid;
        String[] how = grid.split(":");
        int number = how.length > 1 ? Integer.parseInt(how[1]) : 0;
        try {
            all.add(new Candidate(group, name, Presets.named(preset).build(type, 1 + inner.size(), changes), inner,
                    resident ->
                    switch (how[0]) {
                        case "each" -> GridPolicy.tilesEach(number);
                        case "over" -> GridPolicy.over(number == 0 ? resident : 132 * Math.min(number, resident / 132));
                        case "waves" -> GridPolicy.waves(resident, number);
                        default -> throw new IllegalArgumentException(grid);
                    }, shift));
        } catch (BadRequestException e) {
            System.out.println("refused " + name + ": " + e.getMessage());
        }
    }

    private void list() {
        ElementType f32 = ElementType.F32;
        List<Long> flat = List.of();
        for (String loads : List.of("1", "2")) {
            for (String threads : List.of("128", "256")) {
                add("vector", "vector-copy", f32, flat, "each:1", 0, "loads=" + loads + " threads=" + threads + " tile="
                        + 16 * Integer.parseInt(loads) * Integer.parseInt(threads) + "B");
            }
        }
        for (String form : List.of("threads=256 tile=4096B", "threads=128 tile=2048B", "threads=128 tile=4096B",
                "threads=512 tile=8192B", "threads=256 tile=8192B")) {
            add("cp", "cp-async-pipeline", f32, flat, "each:1", 0, "stages=1 " + form);
            add("cp", "cp-async-pipeline", f32, flat, "each:1", 0, "stages=4 " + form);
        }
        for (String form : List.of("stages=2 threads=256 tile=4096B", "stages=4 threads=128 tile=2048B",
                "stages=4 threads=256 tile=4096B", "stages=3 threads=256 tile=4096B", "stages=4 threads=128 tile=4096B",
                "stages=4 threads=512 tile=8192B", "stages=8 threads=128 tile=2048B", "stages=4 threads=256 tile=8192B",
                "stages=3 threads=256 tile=16384B", "stages=4 threads=64 tile=1024B")) {
            for (String grid : List.of("over:0", "over:1", "over:2", "waves:4", "waves:8", "waves:16", "waves:32")) {
                add("pipe", "cp-async-pipeline", f32, flat, grid, 0, form + " walk=interleaved");
            }
            for (String grid : List.of("each:2", "each:4")) {
                add("pipe", "cp-async-pipeline", f32, flat, grid, 0, form);
            }
        }
        for (String form : List.of("threads=128 tile=4096B", "threads=128 tile=8192B", "threads=256 tile=4096B",
                "threads=256 tile=8192B", "threads=128 tile=2048B", "threads=256 tile=2048B", "threads=64 tile=2048B",
                "threads=512 tile=8192B", "threads=512 tile=4096B")) {
            add("cp4", "cp-async-pipeline", f32, flat, "each:1", 4, "copy-bytes=4 stages=1 " + form);
            add("cp4", "cp-async-pipeline", f32, flat, "each:2", 4, "copy-bytes=4 stages=2 " + form);
        }
        for (String cache : List.of("normal", "evict_first")) {
            for (String form : List.of("tile=2048B stages=8", "tile=4096B stages=3", "tile=4096B stages=4",
                    "tile=4096B stages=5", "tile=8192B stages=3", "tile=8192B stages=4", "tile=16384B stages=4")) {
                add("bulk", "bulk-copy", f32, flat, "each:1", 0, form + " cache=" + cache);
                add("bulk", "bulk-copy", f32, flat, "waves:8", 0, form + " walk=interleaved cache=" + cache);
            }
            for (String form : List.of("tile=64x128B stages=4", "tile=16x256B stages=4", "tile=32x256B stages=3",
                    "tile=32x256B stages=4", "tile=8x512B stages=4", "tile=16x512B stages=4", "tile=4x1024B stages=3",
                    "tile=4x1024B stages=4", "tile=4x1024B stages=5", "tile=8x1024B stages=3",
                    "tile=8x1024B stages=4", "tile=16x1024B stages=4", "tile=2x1024B stages=6",
                    "tile=2x1024B stages=4")) {
                for (long columns : List.of(COLUMNS, 4100L, 4084L)) {
                    add("tensor", "tensor-copy", f32, List.of(columns), "each:1", 0, form + " cache=" + cache);
                }
            }
            for (String form : List.of("tile=4x8x256B stages=4", "tile=2x16x256B stages=4", "tile=4x8x256B stages=3",
                    "tile=1x4x1024B stages=4", "tile=2x8x256B stages=4", "tile=1x8x1024B stages=4",
                    "tile=4x8x64B stages=4", "tile=2x4x512B stages=4")) {
                add("rank3", "tensor-copy-3d", f32, List.of(512L, 1024L), "each:1", 0, form + " cache=" + cache);
                add("rank3", "tensor-copy-3d", f32, List.of(64L, 256L), "each:1", 0, form + " cache=" + cache);
            }
            for (String form : List.of("2x4x4x256B", "1x4x8x256B", "1x1x4x1024B", "1x2x8x256B", "1x1x16x256B",
                    "2x4x8x64B")) {
                add("rank4", "tensor-copy-4d", f32, List.of(32L, 32L, 1024L), "each:1", 0,
                        "stages=4 tile=" + form + " cache=" + cache);
                add("rank4", "tensor-copy-4d", f32, List.of(64L, 64L, 64L), "each:1", 0,
                        "stages=4 tile=" + form + " cache=" + cache);
                add("rank5", "tensor-copy-5d", f32, List.of(16L, 16L, 16L, 1024L), "each:1", 0,
                        "stages=4 tile=1x" + form + " cache=" + cache);
                add("rank5", "tensor-copy-5d", f32, List.of(32L, 16L, 32L, 64L), "each:1", 0,
                        "stages=4 tile=1x" + form + " cache=" + cache);
            }
            for (String form : List.of("tile=16x1024B stages=4 blocks-per-slab=4",
                    "tile=16x1024B stages=2 blocks-per-slab=8", "tile=8x1024B stages=4 blocks-per-slab=4",
                    "tile=8x1024B stages=4 blocks-per-slab=8", "tile=8x1024B stages=2 blocks-per-slab=8",
                    "tile=4x1024B stages=4 blocks-per-slab=4", "tile=16x1024B stages=4 blocks-per-slab=2",
                    "tile=8x1024B stages=8 blocks-per-slab=2", "tile=16x1024B stages=5 blocks-per-slab=4",
                    "tile=16x1024B stages=4 blocks-per-slab=8", "tile=64x128B stages=4 blocks-per-slab=32")) {
                add("rebind", "tensor-rebind", f32, List.of(COLUMNS), "each:1", 0, form + " cache=" + cache);
            }
        }
        for (String form : List.of("tile=4096B stages=1 threads=160", "tile=4096B stages=2 threads=288",
                "tile=4096B stages=3 threads=288", "tile=4096B stages=3 threads=160", "tile=8192B stages=2 threads=288",
                "tile=8192B stages=3 threads=288", "tile=4096B stages=4 threads=160", "tile=2048B stages=4 threads=160",
                "tile=16384B stages=3 threads=544")) {
            int stages = Integer.parseInt(form.replaceAll(".*stages=(\\d+).*", "$1"));
            add("warp", "bulk-add", ElementType.I32, flat, "each:" + stages, 0, form + " roles=specialised");
            add("warp", "bulk-add", ElementType.I32, flat, "each:2", 0, form + " roles=specialised cache=evict_first");
            add("warp", "bulk-add", ElementType.I32, flat, "waves:8", 0, form + " roles=specialised walk=interleaved");
            add("warp", "bulk-add", ElementType.I32, flat, "waves:16", 0,
                    form + " roles=specialised walk=interleaved cache=evict_first");
        }
        for (String roles : List.of("together", "specialised")) {
            add("warp", "tensor-scale", ElementType.I32, List.of(COLUMNS), "each:2", 0,
                    "step=add roles=" + roles + " stages=2 tile=32x128B");
            add("warp", "tensor-scale", ElementType.I32, List.of(COLUMNS), "each:2", 0,
                    "step=add roles=" + roles + " stages=2 tile=4x1024B swizzle=none");
        }
    }

    private void measure(Gpu gpu, Candidate candidate, CopyArrays arrays, DeviceTurns turns) {
        long row = candidate.inner().stream().reduce(1L, Math::multiplyExact);
        long elements = (arrays.bytes() - candidate.shift()) / 4;
        List<Long> shape = new ArrayList<>(List.of(elements / row));
        shape.addAll(candidate.inner());
        long copied = elements / row * row * 4;
        try (Kernel kernel = gpu.load(candidate.kernel())) {
            int resident = kernel.residentBlocks();
            Launch launch = candidate.kernel().launch(shape, 0, candidate.grid().apply(resident));
            List<KernelLaunch> launches = new ArrayList<>();
            try (Buffer<byte[]> workspace = gpu.bytes(candidate.kernel().workspaceBytes(launch))) {
                for (int place = 0; place < arrays.pairs(); place++) {
                    Buffer<byte[]> from = arrays.source(place).slice(candidate.shift(), copied);
                    Buffer<byte[]> to = arrays.result(place).slice(candidate.shift(), copied);
                    launches.add((workspace.bytes() == 0 ? kernel.prepare(launch, from, to)
                            : kernel.prepare(launch, from, to, workspace)).on(turns.stream()));
                }
                List<Spread> micros = turns.take(TURNS, List.of(
                        (stream, place) -> stream.copy(arrays.source(place), arrays.result(place)),
                        (_, place) -> launches.get(place % launches.size()).start()));
                arrays.spoil();
                launches.forEach(KernelLaunch::start);
                for (int place = 0; place < arrays.pairs(); place++) {
                    rest(arrays, place, 0, candidate.shift());
                    rest(arrays, place, candidate.shift() + copied, arrays.bytes());
                }
                long wrong = arrays.differing();
                print(candidate.group(), arrays, candidate.name() + " (" + launch.blocks() + " blocks, "
                        + resident / 132 + "/SM)", 2.0 * copied / micros.get(1).median()
                        / (2.0 * arrays.bytes() / micros.get(0).median()), 2 * copied / micros.get(1).median() / 1e3,
                        wrong == 0 ? "ok" : "WRONG " + wrong);
                right &= wrong == 0;
            }
        } catch (RuntimeException e) {
            System.out.println("FAILED " + candidate.group() + " " + candidate.name() + ": " + e);
            right = false;
        }
    }

    private static void rest(CopyArrays arrays, int place, long from, long to) {
        if (to > from) {
            arrays.source(place).slice(from, to - from).copyTo(arrays.result(place).slice(from, to - from));
        }
    }

    private void reads(Gpu gpu, CopyArrays arrays, DeviceTurns turns) {
        for (int tile : List.of(8192, 16384, 32768, 65536)) {
            for (int stages : List.of(2, 3, 4, 6, 8)) {
                for (int workers : List.of(128, 256, 512)) {
                    if (tile % (16 * workers) != 0 || (long) tile * stages + 16L * stages > 227 * 1024) {
                        continue;
                    }
                    TileReads reads = new TileReads(tile, stages, workers);
                    try (Kernel kernel = gpu.load(reads.program())) {
                        for (int each : List.of(1, 2, 4)) {
                            if (each <= kernel.blocksPerMultiprocessor() && (long) each * tile * stages >= 96 << 10) {
                                read(gpu, kernel, reads, 132 * each, arrays, turns);
                            }
                        }
                    }
                }
            }
        }
    }

    private void read(Gpu gpu, Kernel kernel, TileReads reads, int blocks, CopyArrays arrays, DeviceTurns turns) {
        Launch launch = reads.launch(arrays.bytes(), blocks);
        try (Buffer<int[]> words = gpu.ints(reads.resultBytes(launch) / 4)) {
            List<KernelLaunch> launches = new ArrayList<>();
            for (int place = 0; place < arrays.pairs(); place++) {
                launches.add(kernel.prepare(launch, arrays.source(place), words).on(turns.stream()));
            }
            List<Spread> micros = turns.take(TURNS, List.of(
                    (stream, place) -> stream.copy(arrays.source(place), arrays.result(place)),
                    (_, place) -> launches.get(place % launches.size()).start()));
            print("read", arrays, reads + " (" + blocks + " blocks)", 1.0 / micros.get(1)
                    .median() / (2.0 / micros.get(0).median()), arrays.bytes() / micros.get(1).median() / 1e3,
                    "not compared");
        }
    }

    private void print(String group, CopyArrays arrays, String name, double ratio, double rate, String verdict) {
        System.out.printf(Locale.ROOT, "%s\t%d\t%s\t%.4f\t%.0f\t%s%n", group, arrays.bytes() >> 20,
                name.replaceAll(" +", " "), ratio, rate, verdict);
    }
}
