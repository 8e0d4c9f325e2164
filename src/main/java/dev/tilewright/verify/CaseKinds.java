package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.Saturating;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Kinds of cases that are drawn together. Cases are drawn in groups that share a kernel, and a group's number and the
 * seed alone decide it: a process that draws a part of them draws what others would.
 *
 * @param kinds with names that differ, at least one
 */
public record CaseKinds(List<CaseKind> kinds) {
    /** Cases of a group: compiling a kernel costs more than all else that is done for a case. */
    public static final int GROUP = 8;
    /** Bytes that all buffers of a case which is asked for by its line have at most. */
    static final long MOST_BYTES = 1L << 28;
    /** Odd, and far from what SplittableRandom itself steps by, which would make neighbours draw the same numbers. */
    private static final long STEP = 0xD1342543DE82EF95L;

    public CaseKinds {
        kinds = List.copyOf(kinds);
        if (kinds.isEmpty()) {
            throw new IllegalArgumentException("there is no kind to draw cases of");
        }
        Set<String> names = new HashSet<>();
        for (CaseKind kind : kinds) {
            if (!names.add(kind.name())) {
                throw new IllegalArgumentException("two kinds of cases are called '" + kind.name() + "'");
            }
        }
    }

    /**
     * The case of a line.
     *
     * @throws BadRequestException if there is none, or its buffers have more than {@link #MOST_BYTES} together
     */
    public VerifyCase parse(String text) {
        CaseLine line = CaseLine.parse(text);
        VerifyCase found = kinds.stream().filter(kind -> kind.name().equals(line.kind())).findFirst()
                .orElseThrow(() -> new BadRequestException("'" + text + "' is no case: there is no kind '" + line.kind()
                        + "', there are " + kinds.stream().map(CaseKind::name).collect(Collectors.joining(", "))))
                .parse(line);
        shortage(found.work().buffers()).ifPresent(reason -> {
            throw new BadRequestException("the case '" + text + "' has " + reason);
        });
        return found;
    }

    /** Refuses them before there is a launch, which may go through all places that a tile kernel stores to. */
    static void requireRoom(List<CaseBuffer> buffers) {
        shortage(buffers).ifPresent(reason -> {
            throw new IllegalArgumentException("it has " + reason);
        });
    }

    /** Why a case cannot have these buffers; nothing where it can. */
    private static Optional<String> shortage(List<CaseBuffer> buffers) {
        long bytes = buffers.stream().mapToLong(CaseBuffer::bytes).reduce(0, Saturating::add);
        return bytes <= MOST_BYTES ? Optional.empty() : Optional.of("buffers of " + bytes + " bytes, and a case has at "
                + "most " + MOST_BYTES + ", of which the host keeps several copies: take a smaller shape");
    }

    /** The cases of a group, {@link #GROUP} of them. @param number at least 0 */
    public List<? extends VerifyCase> group(long seed, long number) {
        SplittableRandom random = new SplittableRandom(new SplittableRandom(seed + number * STEP).nextLong());
        int round = kinds.stream().mapToInt(CaseKind::weight).sum();
        int left = (int) (number % round);
        for (CaseKind kind : kinds) {
            if (left < kind.weight()) {
                List<? extends VerifyCase> drawn = kind.draw(seed, number / round * kind.weight() + left, random,
                        GROUP);
                if (drawn.size() != GROUP) {
                    throw new IllegalStateException(kind.name() + " drew " + drawn.size() + " cases, not " + GROUP);
                }
                return drawn;
            }
            left -= kind.weight();
        }
        throw new AssertionError(left);
    }
}
