package dev.tilewright.verify;

import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One case on a device, every byte of its results compared: with a direct computation where there is one, with the
 * reference running the same launch, unless the device is that, and with the poison around each result, which no kernel
 * may touch. What must come out can be computed before the device is there. For one thread, whose memory it is.
 */
public final class CaseCheck implements AutoCloseable {
    /** What a result holds before the launch, so that a byte which is not written is seen. */
    private static final byte POISON = (byte) 0xCD;
    /** Bytes after a result that must stay poisoned. */
    private static final int GUARD = 512;
    private static final int ALIGNMENT = 256;

    private final CaseWork work;
    /** This thread's: to close one that others may use is to wait for every thread of the process. */
    private final Arena arena = Arena.ofConfined();
    private final List<MemorySegment> given;
    /** What is to come out by each way of telling, by the buffers' numbers. */
    private List<MemorySegment> direct = List.of();
    private List<MemorySegment> referred = List.of();
    private List<MemorySegment> results = List.of();

    /** @param work the case's */
    CaseCheck(CaseWork work) {
        this.work = work;
        this.given = work.buffers().stream().map(buffer -> {
            MemorySegment memory = poisoned(buffer.bytes());
            buffer.contents().ifPresent(contents -> contents.accept(memory));
            return memory;
        }).toList();
    }

    private MemorySegment poisoned(long bytes) {
        return arena.allocate(bytes, ALIGNMENT).fill(POISON);
    }

    /**
     * What is wrong with the device's results, in one sentence, or nothing.
     *
     * @throws RuntimeException what the device threw
     */
    public static Optional<String> run(CaseDevice device, VerifyCase one) {
        try (CaseCheck check = new CaseCheck(one.work())) {
            check.launch(device);
            check.expect(device);
            return check.complaint();
        }
    }

    /** Computes all that this device's results are compared with. */
    void expect(CaseDevice device) {
        compute();
        if (!device.definesResults()) {
            refer();
        }
    }

    /** Computes the results directly. */
    void compute() {
        work.direct().ifPresent(way -> {
            direct = copies(0);
            way.apply(direct);
        });
    }

    /** Runs the reference, too: on this thread, others have cases of their own. */
    void refer() {
        referred = copies(GUARD);
        Reference.run(work.launch(), referred, ReferenceOptions.DEFAULT.sequential());
    }

    /** What the launch begins with: copies of what it may change. @param more poison behind each of these */
    private List<MemorySegment> copies(int more) {
        List<MemorySegment> copies = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            boolean kept = work.buffers().get(i).contents().isPresent() && !work.buffers().get(i).compared();
            MemorySegment memory = kept ? given.get(i) : poisoned(given.get(i).byteSize() + more);
            if (!kept) {
                memory.copyFrom(given.get(i));
            }
            copies.add(kept ? memory.asReadOnly() : memory);
        }
        return copies;
    }

    /** Runs the launch on the device and fetches its results. */
    void launch(CaseDevice device) {
        launch(device, work);
    }

    /** Runs another launch, which must do the same; its workspace may be larger. */
    void launch(CaseDevice device, CaseWork any) {
        results = copies(GUARD);
        for (int i = 0; i < results.size(); i++) {
            long bytes = any.buffers().get(i).bytes();
            if (bytes > given.get(i).byteSize()) {
                results.set(i, poisoned(bytes + GUARD));
            }
        }
        device.run(any.launch(), results);
    }

    /** What is wrong with the results that were fetched. */
    Optional<String> complaint() {
        for (int i = 0; i < results.size(); i++) {
            if (work.buffers().get(i).compared()) {
                Optional<String> wrong = complaint(i);
                if (wrong.isPresent()) {
                    return wrong;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> complaint(int number) {
        CaseBuffer buffer = work.buffers().get(number);
        MemorySegment result = results.get(number);
        for (long at = buffer.bytes(); at < result.byteSize(); at++) {
            if (result.get(ValueLayout.JAVA_BYTE, at) != POISON) {
                return Optional.of("byte " + (at - buffer.bytes()) + " after the end of the " + buffer.name()
                        + " was written");
            }
        }
        return difference("a direct computation", number, direct)
                .or(() -> difference("the reference", number, referred));
    }

    private Optional<String> difference(String other, int number, List<MemorySegment> right) {
        if (right.isEmpty()) {
            return Optional.empty();
        }
        CaseBuffer buffer = work.buffers().get(number);
        boolean several = work.buffers().stream().filter(CaseBuffer::compared).count() > 1;
        return Difference.between(right.get(number).asSlice(0, buffer.bytes()),
                results.get(number).asSlice(0, buffer.bytes()))
                .map(d -> (several ? "the " + buffer.name() + " " : "") + "against " + other + ", "
                        + d.describe(buffer.type(), buffer.shape()));
    }

    @Override
    public void close() {
        arena.close();
    }
}
