package dev.tilewright.gputest.soak;

import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Graph;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.gpu.Stream;
import dev.tilewright.program.Launch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One thread of a soak. Trip by trip it allocates two arrays of a size that it draws, uploads one, adds numbers to it
 * back and forth between the two, by launches or by a graph that is replayed, downloads the result and compares every
 * word.
 */
final class SoakThread implements AutoCloseable {
    private static final int MOST_LAUNCHES = 64;
    /** Launches there and back in a graph. */
    private static final int MOST_PAIRS = 4;

    private final Gpu gpu;
    private final VectorCopy add;
    private final Kernel kernel;
    private final List<Stream> streams;
    private final SplittableRandom random;
    private final PinnedMemory pinned;
    /** To capture from: another thread's work must not get into its graph. */
    private final Stream own;
    private final String scalar;
    private final int mostWords;

    SoakThread(Gpu gpu, VectorCopy add, Kernel kernel, List<Stream> streams, int mostWords, SplittableRandom random) {
        this.gpu = gpu;
        this.add = add;
        this.kernel = kernel;
        this.streams = streams;
        this.random = random;
        this.mostWords = mostWords;
        this.scalar = add.scalars().getFirst().name();
        this.pinned = gpu.pinned(mostWords * 4L);
        this.own = gpu.nonBlockingStream();
    }

    /** Makes trips until there is nothing left of a leg's launches. */
    void run(AtomicLong left) {
        while (true) {
            long wanted = 1 + random.nextInt(MOST_LAUNCHES);
            long before = left.getAndAdd(-wanted);
            if (before <= 0) {
                return;
            }
            trip((int) Math.min(wanted, before));
        }
    }

    private void trip(int launches) {
        // As many small arrays as large ones.
        int words = (int) Math.round(Math.exp(random.nextDouble() * Math.log(mostWords)));
        int[] data = new int[words];
        for (int i = 0; i < words; i++) {
            data[i] = random.nextInt();
        }
        Stream stream = streams.get(random.nextInt(streams.size()));
        boolean inStream = random.nextBoolean();
        try (Buffer<int[]> a = allocate(inStream, stream, words); Buffer<int[]> b = allocate(inStream, stream, words)) {
            upload(stream, data, a, inStream);
            int added = launches(stream, launches, a, b);
            Buffer<int[]> result = launches % 2 == 0 ? a : b;
            int[] moved = download(stream, result);
            for (int i = 0; i < words; i++) {
                if (moved[i] != data[i] + added) {
                    throw new IllegalStateException("word " + i + " of " + words + " is " + moved[i] + " after "
                            + launches + " launches, expected " + (data[i] + added));
                }
            }
        }
    }

    private Buffer<int[]> allocate(boolean inStream, Stream stream, int words) {
        return inStream ? stream.allocate(ArrayType.INTS, words) : gpu.ints(words);
    }

    private void upload(Stream stream, int[] data, Buffer<int[]> to, boolean inStream) {
        if (!inStream && random.nextBoolean()) {
            to.upload(data);
        } else if (random.nextBoolean()) {
            stream.upload(MemorySegment.ofArray(data), to);
        } else {
            MemorySegment staged = pinned.segment().asSlice(0, data.length * 4L);
            staged.copyFrom(MemorySegment.ofArray(data));
            stream.upload(staged, to);
        }
    }

    private int[] download(Stream stream, Buffer<int[]> from) {
        switch (random.nextInt(3)) {
            case 0 -> {
                stream.synchronize();
                return from.download();
            }
            case 1 -> {
                int[] words = new int[(int) from.count()];
                stream.download(from, MemorySegment.ofArray(words));
                return words;
            }
            default -> {
                MemorySegment staged = pinned.segment().asSlice(0, from.bytes());
                stream.download(from, staged);
                try (Event arrived = stream.record()) {
                    arrived.synchronize();
                }
                return staged.toArray(ValueLayout.JAVA_INT);
            }
        }
    }

    /** Adds numbers, one a launch, from one array into the other and back. @return their sum */
    private int launches(Stream stream, int count, Buffer<int[]> a, Buffer<int[]> b) {
        Launch described = add.launch(List.of(a.count()), 0);
        KernelLaunch there = kernel.prepare(described, a, b);
        KernelLaunch back = kernel.prepare(described, b, a);
        int sum = 0;
        int left = count;
        if (random.nextInt(4) == 0 && count >= 2) {
            int pairs = 1 + random.nextInt(Math.min(MOST_PAIRS, count / 2));
            int replays = count / (2 * pairs);
            sum += replays(stream, pairs, replays, there, back);
            left -= replays * 2 * pairs;
        }
        there.on(stream);
        back.on(stream);
        for (int i = 0; i < left; i++) {
            int value = random.nextInt();
            with(i % 2 == 0 ? there : back, value).start();
            sum += value;
        }
        return sum;
    }

    /** Replays a graph of launches there and back, whose numbers change now and then. It ends where it began. */
    private int replays(Stream stream, int pairs, int replays, KernelLaunch there, KernelLaunch back) {
        int toThere = random.nextInt();
        int toBack = random.nextInt();
        with(there, toThere).on(own);
        with(back, toBack).on(own);
        int sum = 0;
        try (Graph graph = own.capture(_ -> {
            for (int i = 0; i < pairs; i++) {
                there.start();
                back.start();
            }
        })) {
            for (int i = 0; i < replays; i++) {
                if (random.nextInt(3) == 0) {
                    toThere = random.nextInt();
                    graph.update(with(there, toThere));
                }
                graph.start(stream);
                sum += pairs * (toThere + toBack);
            }
            // It is closed, and what it did is looked at, when it is done.
            stream.synchronize();
        }
        return sum;
    }

    private KernelLaunch with(KernelLaunch launch, int value) {
        return launch.setBits(scalar, value & 0xFFFFFFFFL);
    }

    @Override
    public void close() {
        own.close();
        pinned.close();
    }
}
