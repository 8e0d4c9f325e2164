package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Whether a launch begins before the one in front of it in its stream has ended, on sm_90 and later. It then waits for
 * whatever came before, and only after that touches tensors other than those named here.
 *
 * @param isEarly whether it begins before
 * @param reads names of tensors that are read before the wait, in the order in which they are written; only tensors
 *     that no launch in front writes, however far in front as long as all between begin early
 */
public record EarlyStart(boolean isEarly, List<String> reads) {
    /** Does not begin early: {@code 0}. */
    public static final EarlyStart OFF = new EarlyStart(false, List.of());
    /** Begins early, and waits before it touches any tensor: {@code 1}. */
    public static final EarlyStart WAITING = new EarlyStart(true, List.of());

    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*");

    /** @throws BadRequestException if a name cannot be one of a tensor, or if tensors are named and it is not early */
    public EarlyStart {
        NotNull.all("reads", reads);
        reads = List.copyOf(reads);
        if (!reads.isEmpty() && !isEarly) {
            throw new BadRequestException("a launch that does not begin early reads nothing before, got " + reads);
        }
        if (!reads.stream().allMatch(name -> NAME.matcher(name).matches())) {
            throw new BadRequestException("tensors have names such as 'weight', got " + reads);
        }
    }

    /** Begins early, and reads these tensors before it waits: {@code table+row}. */
    public static EarlyStart reading(String... tensors) {
        NotNull.all("tensors", (Object) tensors);
        return new EarlyStart(true, List.of(tensors));
    }

    /** Reads {@code 0}, {@code 1} or {@code table+row}. @throws BadRequestException if the text is none of these */
    static EarlyStart parse(String text) {
        return text.equals(OFF.toString()) ? OFF : text.equals(WAITING.toString()) ? WAITING
                : new EarlyStart(true, List.of(text.split("\\+", -1)));
    }

    /** As in a schedule: {@code 0}, {@code 1} or {@code table+row}. */
    @Override
    public String toString() {
        return !isEarly ? "0" : reads.isEmpty() ? "1" : String.join("+", reads);
    }
}
