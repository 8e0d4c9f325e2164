package dev.tilewright.io;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Gives a file its blocks on the disk before it is mapped. A mapped file with holes takes its blocks at the moment a
 * page of it is first written to, and where there are none left that is no error code but a signal in the middle of a
 * computation. Small files are written with zeros; large ones are reserved by posix_fallocate (POSIX.1-2017), which
 * writes nothing, or with zeros too where it cannot be called.
 */
final class Reservation {

    /** Up to this size, in bytes, writing zeros takes less time than making the handles of native functions. */
    private static final long SMALL = 64L << 20;

    private static final int CHUNK = 1 << 20;

    private static final int O_RDWR = 2;

    // Results of posix_fallocate: Linux's errno.h.
    private static final int EINTR = 4;
    private static final int EFBIG = 27;
    private static final int ENOSPC = 28;
    private static final int EDQUOT = 122;

    private Reservation() { }

    /**
     * Makes a file as long as it will be, with zeros.
     *
     * @param file an empty file
     * @throws IOException if its disk has not that many bytes left
     */
    static void reserve(Path file, long bytes) throws IOException {
        reserve(file, bytes, SMALL);
    }

    /** @param small up to this many bytes are written */
    static void reserve(Path file, long bytes, long small) throws IOException {
        if (bytes <= small || !allocated(file, bytes)) {
            writeZeros(file, bytes);
        }
    }

    private static void writeZeros(Path file, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(bytes, CHUNK));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (long at = 0; at < bytes; ) {
                zeros.clear().limit((int) Math.min(bytes - at, CHUNK));
                at += channel.write(zeros, at);
            }
        } catch (IOException e) {
            throw isNoSpace(e) ? tooLarge(bytes) : e;
        }
    }

    /** Java gives the reason of a failed write only as the system's text. */
    private static boolean isNoSpace(IOException e) {
        return String.valueOf(e.getMessage()).startsWith("No space left");
    }

    private static IOException tooLarge(long bytes) {
        return new IOException("it takes " + bytes + " bytes, and its file system has not that many left");
    }

    /** Whether the system has reserved the file's blocks; it may be unable to. */
    private static boolean allocated(Path file, long bytes) throws IOException {
        Optional<Functions> functions = Functions.find();
        if (functions.isEmpty()) {
            return false;
        }
        return switch (functions.get().allocate(file, bytes)) {
            case 0 -> true;
            case ENOSPC -> throw tooLarge(bytes);
            case EDQUOT ->
                    throw new IOException("it takes " + bytes + " bytes, and the disk quota has not that many left");
            case EFBIG -> throw new IOException("it takes " + bytes + " bytes, and a file may not be that large here");
            default -> false;
        };
    }

    /** The C library's functions, of the signatures that they have on 64-bit Linux. */
    private record Functions(MethodHandle open, MethodHandle allocate, MethodHandle close) {

        /** Empty where this process may not call native code, or the library has other functions. */
        static Optional<Functions> find() {
            if (!"Linux".equals(System.getProperty("os.name"))) {
                return Optional.empty();
            }
            Linker linker = Linker.nativeLinker();
            SymbolLookup library = linker.defaultLookup();
            try {
                Linker.Option variadic = Linker.Option.firstVariadicArg(2);
                return Optional.of(new Functions(
                        linker.downcallHandle(library.findOrThrow("open"),
                                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), variadic),
                        linker.downcallHandle(library.findOrThrow("posix_fallocate"),
                                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG)),
                        linker.downcallHandle(library.findOrThrow("close"),
                                FunctionDescriptor.of(JAVA_INT, JAVA_INT))));
            } catch (IllegalCallerException | NoSuchElementException e) {
                return Optional.empty();
            }
        }

        /** What posix_fallocate returned: 0 or an errno; -1 if the file could not be opened. */
        int allocate(Path file, long bytes) {
            Charset names = Charset.forName(System.getProperty("sun.jnu.encoding"), Charset.defaultCharset());
            try (Arena arena = Arena.ofConfined()) {
                byte[] name = file.toString().getBytes(names);
                MemorySegment text = arena.allocate(name.length + 1L);
                MemorySegment.copy(name, 0, text, JAVA_BYTE, 0, name.length);
                int descriptor = (int) open.invokeExact(text, O_RDWR);
                if (descriptor < 0) {
                    return -1;
                }
                int result = EINTR;
                while (result == EINTR) {
                    result = (int) allocate.invokeExact(descriptor, 0L, bytes);
                }
                int ignored = (int) close.invokeExact(descriptor);
                return result;
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable t) {
                throw new IllegalStateException(t);
            }
        }
    }
}
