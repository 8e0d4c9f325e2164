package dev.tilewright.gpu.emulation.state;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.program.TileProgram;
import java.lang.foreign.MemorySegment;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The programs that modules can be loaded of. In place of a cubin stands an image of 16 bytes: a magic number, which
 * emulated driver it is for, and the program's number there. A program is kept while something else refers to it, as
 * its modules do, so that a driver which many kernels come and go through does not grow; and the last few are in any
 * case.
 */
public final class LoadablePrograms {
    private static final byte[] MAGIC = "TileEmul".getBytes(StandardCharsets.US_ASCII);
    private static final int IMAGE_BYTES = 16;
    private static final byte[] ELF = {0x7F, 'E', 'L', 'F'};
    private static final int MOST_LATEST = 16;
    private static final AtomicInteger DRIVERS = new AtomicInteger();

    private final int driver = DRIVERS.incrementAndGet();
    private final Map<Integer, Known> programs = new HashMap<>();
    private final ReferenceQueue<TileProgram> gone = new ReferenceQueue<>();
    private final Deque<TileProgram> latest = new ArrayDeque<>();
    private int numbers;

    private static final class Known extends WeakReference<TileProgram> {
        private final int number;

        private Known(TileProgram program, int number, ReferenceQueue<TileProgram> gone) {
            super(program, gone);
            this.number = number;
        }
    }

    /** The image of a program. */
    public byte[] image(TileProgram program) {
        for (Object old = gone.poll(); old != null; old = gone.poll()) {
            programs.remove(((Known) old).number);
        }
        int number = ++numbers;
        programs.put(number, new Known(program, number, gone));
        latest.add(program);
        if (latest.size() > MOST_LATEST) {
            latest.remove();
        }
        return ByteBuffer.allocate(IMAGE_BYTES).put(MAGIC).putInt(driver).putInt(number).array();
    }

    /** A context has gone: programs that nothing refers to any more go, too. */
    public void forgetLatest() {
        latest.clear();
    }

    /** The program of an image; refuses a cubin, another driver's image, and what is no image at all. */
    public TileProgram program(MemorySegment image) {
        long size = image.byteSize() == 0 ? IMAGE_BYTES : image.byteSize();
        Refusal.unless(image.address() != 0, DriverApi.INVALID_VALUE);
        MemorySegment bytes = image.reinterpret(Math.min(size, IMAGE_BYTES));
        Refusal.unless(!beginsWith(bytes, ELF), DriverApi.NO_BINARY_FOR_GPU);
        Refusal.unless(bytes.byteSize() == IMAGE_BYTES && beginsWith(bytes, MAGIC), Results.INVALID_IMAGE);
        ByteBuffer fields = ByteBuffer.wrap(bytes.toArray(JAVA_BYTE)).position(MAGIC.length);
        Refusal.unless(fields.getInt() == driver, DriverApi.NO_BINARY_FOR_GPU);
        Known known = programs.get(fields.getInt());
        TileProgram program = known == null ? null : known.get();
        Refusal.unless(program != null, Results.INVALID_IMAGE);
        return program;
    }

    private static boolean beginsWith(MemorySegment bytes, byte[] prefix) {
        return bytes.byteSize() >= prefix.length
                && MemorySegment.ofArray(prefix).mismatch(bytes.asSlice(0, prefix.length)) == -1;
    }
}
