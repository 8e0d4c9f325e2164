package dev.tilewright.verify;

import dev.tilewright.tile.Batch;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A launch of some places of a batch in other company: what its program leaves of them is held against what the
 * executor leaves of a launch of all.
 *
 * @param all the launch of all
 * @param company in which they come again
 * @param places how many there are then
 */
public record CompanyCase(TileCase all, Company company, int places) implements VerifyCase {
    private static final long ALIGNMENT = 256;
    private static final int MOST = 1 << 20;
    /** New places have numbers of their own. */
    private static final int NEW = MOST;

    /** @throws IllegalArgumentException if the kernel has no batch, or the launch fewer places */
    public CompanyCase {
        TileKernel kernel = all.preset().kernel(all.type());
        String dim = kernel.batch().dim().orElseThrow(() -> new IllegalArgumentException("preset '"
                + all.preset().name() + "' has " + kernel.batch())).name();
        long count = all.extents().getOrDefault(dim, 0L);
        if (count > MOST) {
            throw new IllegalArgumentException("a case has at most " + MOST + " places along '" + dim + "', got "
                    + count);
        }
        if (count < 1 || places < 1 || company != Company.AMONG_OTHERS && places > count) {
            throw new IllegalArgumentException(places + " places along '" + dim + "' do not come again of "
                    + count + ", " + company);
        }
    }

    @Override
    public boolean sharesKernelWith(VerifyCase other) {
        return other instanceof CompanyCase that && company == that.company && places == that.places
                && all.sharesKernelWith(that.all);
    }

    CompanyCase with(long seed) {
        return new CompanyCase(all.with(seed), company, places);
    }

    @Override
    public CaseWork work() {
        TileKernel kernel = all.kernel();
        Batch batch = kernel.batch();
        String dim = batch.dim().orElseThrow().name();
        Map<String, Long> extents = new TreeMap<>(all.extents());
        int count = Math.toIntExact(extents.put(dim, (long) places));
        int[] come = company.places(count, places, new Random(all.seed()));
        TileLaunch first = new TileLaunch(kernel, all.extents(), all.target(), all.multiprocessors());
        TileLaunch other = new TileLaunch(kernel, extents, all.target(), all.multiprocessors());
        List<CaseBuffer> buffers = new ArrayList<>();
        for (Tensor tensor : kernel.tensors()) {
            Places along = new Places(first, tensor, batch, count, come);
            long own = all.seed() + buffers.size();
            buffers.add(other.buffer(tensor, memory -> along.fill(memory, own)));
        }
        CaseKinds.requireRoom(buffers);
        return new CaseWork(other.launch(), buffers, Optional.of(memory -> {
            other.execute(memory);
            try (Arena arena = Arena.ofConfined()) {
                List<MemorySegment> whole = whole(first, arena);
                first.execute(whole);
                for (int i = 0; i < whole.size(); i++) {
                    if (kernel.tensors().get(i).role() != Tensor.Role.IN) {
                        new Places(first, kernel.tensors().get(i), batch, count, come)
                                .copy(whole.get(i), memory.get(i));
                    }
                }
            }
        }));
    }

    private List<MemorySegment> whole(TileLaunch launch, Arena arena) {
        List<MemorySegment> memory = new ArrayList<>();
        for (Tensor tensor : launch.kernel().tensors()) {
            MemorySegment segment = arena.allocate(Math.max(1, CopyCase.bytes(TileLaunch.elements(tensor),
                    launch.shape(tensor))), ALIGNMENT);
            TileLaunch.fill(segment, tensor.type(), all.seed() + memory.size());
            memory.add(segment);
        }
        return memory;
    }

    /** The places of a tensor in both launches. @param come the number of each in the first, or -1 */
    private record Places(TileLaunch first, Tensor tensor, Batch batch, int count, int[] come) {

        /** What the other launch begins with: new numbers, and those of the places that come again. */
        void fill(MemorySegment memory, long seed) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment from = arena.allocate(Math.max(1, CopyCase.bytes(TileLaunch.elements(tensor),
                        first.shape(tensor))), ALIGNMENT);
                TileLaunch.fill(from, tensor.type(), seed);
                if (batch.position(tensor).isEmpty()) {
                    memory.copyFrom(from.asSlice(0, memory.byteSize()));
                    return;
                }
                TileLaunch.fill(memory, tensor.type(), seed + NEW);
                copy(from, memory);
            }
        }

        /** Copies the places that come again. */
        void copy(MemorySegment from, MemorySegment to) {
            if (batch.position(tensor).isEmpty()) {
                return;
            }
            int position = batch.position(tensor).getAsInt();
            List<Long> shape = first.shape(tensor);
            long outer = product(shape.subList(0, position));
            // Of images a place has all pixels.
            long each = shape.get(position) / count * product(shape.subList(position + 1, shape.size()))
                    * tensor.type().bytes();
            for (long o = 0; o < outer; o++) {
                for (int i = 0; i < come.length; i++) {
                    if (come[i] >= 0) {
                        MemorySegment.copy(from, (o * count + come[i]) * each, to, (o * come.length + i) * each, each);
                    }
                }
            }
        }

        private static long product(List<Long> extents) {
            return extents.stream().reduce(1L, Math::multiplyExact);
        }
    }

    @Override
    public String family() {
        return CompanyKind.NAME + " " + all.preset().name();
    }

    @Override
    public String file() {
        return all.file();
    }

    @Override
    public CaseLine line() {
        return all.line(new CaseLine(CompanyKind.NAME).with("company", company).with("places", places));
    }

    /** Of fewer places, and of a smaller launch. */
    @Override
    public List<CompanyCase> smaller() {
        String dim = all.preset().kernel(all.type()).batch().dim().orElseThrow().name();
        Stream<CompanyCase> fewer = Stream.of(1, places / 2, places - 1).distinct().filter(n -> n > 0 && n < places)
                .map(n -> new CompanyCase(all, company, n));
        return Stream.concat(fewer, all.smaller().stream().map(less -> new CompanyCase(less, company,
                (int) Math.min(places, less.extents().get(dim))))).toList();
    }

    /** The line, which names the case again. */
    @Override
    public String toString() {
        return line().toString();
    }
}
