package dev.tilewright.gpu.emulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.program.TileProgram;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The programs that modules can be loaded of. In place of a cubin stands an image of 16 bytes: a magic number, which
 * emulated driver it is for, and the program's number there.
 */
final class Programs {
    private static final byte[] MAGIC = "TileEmul".getBytes(StandardCharsets.US_ASCII);
    private static final int IMAGE_BYTES = 16;
    private static final byte[] ELF = {0x7F, 'E', 'L', 'F'};
    private static final AtomicInteger DRIVERS = new AtomicInteger();

    private final int driver = DRIVERS.incrementAndGet();
    private final Map<TileProgram, Integer> numbers = new HashMap<>();
    private final Map<Integer, TileProgram> programs = new HashMap<>();

    /** The image of a program; equal programs have the same. */
    byte[] image(TileProgram program) {
        int number = numbers.computeIfAbsent(program, p -> numbers.size() + 1);
        programs.putIfAbsent(number, program);
        return ByteBuffer.allocate(IMAGE_BYTES).put(MAGIC).putInt(driver).putInt(number).array();
    }

    /** The program of an image; refuses a cubin, another driver's image, and what is no image at all. */
    TileProgram program(MemorySegment image) {
        long known = image.byteSize() == 0 ? IMAGE_BYTES : image.byteSize();
        Refusal.unless(image.address() != 0, DriverApi.INVALID_VALUE);
        MemorySegment bytes = image.reinterpret(Math.min(known, IMAGE_BYTES));
        Refusal.unless(!beginsWith(bytes, ELF), DriverApi.NO_BINARY_FOR_GPU);
        Refusal.unless(bytes.byteSize() == IMAGE_BYTES && beginsWith(bytes, MAGIC), Results.INVALID_IMAGE);
        ByteBuffer fields = ByteBuffer.wrap(bytes.toArray(JAVA_BYTE)).position(MAGIC.length);
        Refusal.unless(fields.getInt() == driver, DriverApi.NO_BINARY_FOR_GPU);
        TileProgram program = programs.get(fields.getInt());
        Refusal.unless(program != null, Results.INVALID_IMAGE);
        return program;
    }

    private static boolean beginsWith(MemorySegment bytes, byte[] prefix) {
        return bytes.byteSize() >= prefix.length
                && MemorySegment.ofArray(prefix).mismatch(bytes.asSlice(0, prefix.length)) == -1;
    }
}
