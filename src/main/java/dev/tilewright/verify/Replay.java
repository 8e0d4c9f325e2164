package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.recording.Fnv;
import dev.tilewright.recording.RecordingsWindow;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Does again, with the reference's arithmetic, what a recording says the hardware did, and compares every number that
 * the row holds: loads in tile mode, with interleave and in im2col mode, stores, reductions, tensor-core instructions,
 * and where a copy may start. Rows of other kinds are counted as skipped, encode rows too, which are {@link EncodeReplay}'s.
 */
public final class Replay {

    /** What part of the reference a row is run through. */
    public enum ReplayMode {
        /** The tensor box, or the arithmetic, alone. */
        BOX,
        /** A tile program around the one copy, with barrier, wait and bulk groups, or around the one product. */
        PROGRAM
    }

    /** What the recorder filled shared memory with before a load. */
    private static final byte POISON = (byte) 0xCD;

    private final Map<Long, byte[]> windows = new ConcurrentHashMap<>();
    /** Made when the first interleaved row comes. */
    private PatternRegion pattern;

    /** Keeps the data windows from row to row. Any number of threads may replay rows. */
    Replay() {
    }

    /**
     * Replays all rows that can be, each in the given way.
     *
     * @throws BadRequestException if a row lacks a field or has one out of range
     */
    public static ReplayResult rows(List<RecordingsRow> rows, ReplayMode mode) {
        Replay replay = new Replay();
        ReplayResult.Counter counter = new ReplayResult.Counter();
        for (RecordingsRow row : rows) {
            Optional<String> skipped = notReplayed(row);
            if (skipped.isPresent()) {
                counter.skipped(skipped.get());
                continue;
            }
            replay.disagreement(row, mode).ifPresentOrElse(
                    what -> counter.disagreed(row.place() + ": " + what), counter::agreed);
        }
        return counter.result();
    }

    /**
     * Replays one row.
     *
     * @return what differs, or nothing if all agrees
     * @throws BadRequestException if the row lacks a field or has one out of range
     * @throws IllegalArgumentException if rows of this kind are not replayed
     */
    public static Optional<String> row(RecordingsRow row, ReplayMode mode) {
        notReplayed(row).ifPresent(kind -> {
            throw new IllegalArgumentException(row.place() + ": rows of kind '" + kind + "' are not replayed");
        });
        return new Replay().disagreement(row, mode);
    }

    /** The kind under which a row is counted as skipped, if it is. */
    static Optional<String> notReplayed(RecordingsRow row) {
        return switch (row.kind()) {
            case "load", "store", "reduce", "start" -> Optional.empty();
            case "mma", "wgmma", "wgmma-operand" -> Optional.empty();
            default -> Optional.of((row.kind() + " " + row.mode()).strip());
        };
    }

    /** The kind under which a row is counted. */
    static String kind(RecordingsRow row) {
        return switch (row.kind()) {
            case "load" -> row.isInterleaved() ? "load interleaved" : ("load " + row.mode()).strip();
            case "store" -> row.op().equals("store") ? ("store " + row.mode()).strip() : "reduce " + row.op();
            case "mma", "wgmma", "wgmma-operand" -> TensorCoreReplay.kind(row);
            case "start" -> StartReplay.kind(row);
            case "reduce" -> "reduce " + row.fields().path("form").asText() + " " + row.op();
            default -> (row.kind() + " " + row.mode()).strip();
        };
    }

    /** What differs of a row that is replayed, or nothing. */
    Optional<String> disagreement(RecordingsRow row, ReplayMode mode) {
        try {
            return switch (row.kind()) {
                case "load" -> load(row, mode);
                case "store" -> store(row, mode);
                case "mma", "wgmma", "wgmma-operand" -> TensorCoreReplay.disagreement(row, mode);
                case "start" -> StartReplay.disagreement(row);
                default -> ReduceReplay.disagreement(row, mode);
            };
        } catch (BadRequestException e) {
            throw e;
        } catch (ReferenceException | IllegalArgumentException e) {
            return Optional.of("the reference refuses it: " + e.getMessage());
        } catch (IndexOutOfBoundsException e) {
            throw new BadRequestException(row.place() + ": the copy reaches beyond the memory that rows are recorded "
                    + "on",
                    e);
        } catch (ArithmeticException | NegativeArraySizeException e) {
            throw new BadRequestException(row.place() + ": the numbers of this row are too large for a copy", e);
        }
    }

    private Optional<String> load(RecordingsRow row, ReplayMode mode) {
        if (!row.isInterleaved()) {
            return loaded(row, mode);
        }
        // The region that these were recorded on is 64 MiB, and there is one.
        synchronized (this) {
            return loaded(row, mode);
        }
    }

    private Optional<String> loaded(RecordingsRow row, ReplayMode mode) {
        boolean im2col = row.mode().equals("im2col");
        TensorMap map = im2col ? row.im2colMap() : row.tiledMap();
        TensorBox box = im2col ? TensorBox.im2col(row.im2colMap()) : TensorBox.tile(row.tiledMap());
        int[] offsets = im2col ? row.offsets() : new int[0];
        int counted = box.transactionBytes(offsets);
        // Rows with interleave were recorded without it.
        if ((!row.isInterleaved() || row.fields().has("tx")) && counted != row.number("tx", SharedLayout.LARGEST)) {
            return Optional.of("the barrier counts " + counted + " bytes, the recording says " + row.number("tx"));
        }
        if (row.fields().has("complete") && row.number("complete") != 1) {
            return Optional.of("the barrier's phase completes, the recording says complete " + row.number("complete"));
        }
        int seen = row.number("smem", SharedLayout.LARGEST);
        int held = Math.max(seen, Math.ceilDiv(box.sharedBytes(offsets), 16) * 16);
        byte[] shared;
        if (mode == ReplayMode.PROGRAM) {
            shared = ReplayPrograms.load(map, source(row), row.coordinates(), offsets, held, counted);
        } else {
            shared = new byte[held];
            Arrays.fill(shared, POISON);
            box.load(source(row), row.coordinates(), offsets, shared, 0);
        }
        shared = Arrays.copyOf(shared, seen);
        Optional<byte[]> bytes = row.bytes();
        if (bytes.isPresent()) {
            if (bytes.get().length > seen) {
                return Optional.of("the recording has " + bytes.get().length + " bytes, and says that it looked at "
                        + seen);
            }
            int at = Arrays.mismatch(bytes.get(), Arrays.copyOf(shared, bytes.get().length));
            if (at >= 0) {
                return Optional.of("shared byte " + at + " is " + hex(shared[at]) + ", the recording says "
                        + hex(bytes.get()[at]));
            }
        }
        if (row.fields().has("written")) {
            int written = written(shared);
            if (written != row.number("written")) {
                return Optional.of("the copy writes " + written + " bytes of shared memory, up to the last that changes, the"
                        + " recording says " + row.number("written"));
            }
        }
        return compareHash(row, shared, "shared memory");
    }

    /** Bytes up to the last one that is not as it was before the load. */
    private static int written(byte[] shared) {
        int end = shared.length;
        while (end > 0 && shared[end - 1] == POISON) {
            end--;
        }
        return end;
    }

    /** The tensor's memory from its first byte on. */
    private MemorySegment source(RecordingsRow row) {
        byte[] window = window(row.number("seed"));
        int address = row.number("address", RecordingsWindow.BYTES);
        if (!row.isInterleaved()) {
            return MemorySegment.ofArray(window).asReadOnly().asSlice(address);
        }
        if (pattern == null) {
            pattern = new PatternRegion();
        }
        return pattern.from(window, address);
    }

    private Optional<String> store(RecordingsRow row, ReplayMode mode) {
        TiledTensorMap map = row.tiledMap();
        Optional<AtomicOp> op = row.op().equals("store") ? Optional.empty() : Optional.of(row.reduceOp());
        byte[] before = window(row.number("seed"));
        byte[] after = before.clone();
        MemorySegment tensor = MemorySegment.ofArray(after).asSlice(row.number("address", RecordingsWindow.BYTES));
        byte[] shared = RecordingsWindow.bytes(row.number("smemSeed"), Math.ceilDiv(map.sharedBytes(), 16) * 16);
        if (mode == ReplayMode.PROGRAM) {
            ReplayPrograms.store(map, tensor, row.coordinates(), op, shared);
        } else if (op.isPresent()) {
            TensorBox.tile(map).reduce(op.get(), tensor, row.coordinates(), shared, 0);
        } else {
            TensorBox.tile(map).store(tensor, row.coordinates(), shared, 0);
        }
        int changed = 0;
        for (int i = 0; i < after.length; i++) {
            changed += after[i] == before[i] ? 0 : 1;
        }
        if (changed != row.number("changed")) {
            return Optional.of(changed + " bytes of the window changed, the recording says " + row.number("changed"));
        }
        return compareHash(row, after, "the window");
    }

    private byte[] window(long seed) {
        return windows.computeIfAbsent(seed, s -> RecordingsWindow.bytes(s, RecordingsWindow.BYTES));
    }

    private static Optional<String> compareHash(RecordingsRow row, byte[] bytes, String what) {
        long hash = Fnv.hash(bytes);
        return hash == row.hash() ? Optional.empty() : Optional.of("the hash of " + what + " is "
                + HexFormat.of().toHexDigits(hash) + ", the recording says " + HexFormat.of().toHexDigits(row.hash()));
    }

    private static String hex(byte b) {
        return "0x" + HexFormat.of().withUpperCase().toHexDigits(b);
    }
}
