package dev.tilewright.tile.lower;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Schedule;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What a schedule chooses of a tile kernel's program.
 *
 * @param threads of a block: 32, 64, … 1024; empty for the fewest of those that suit, from 128 on
 */
public record Choices(OptionalInt threads) {
    private static final String THREADS = "threads";
    private static final int LEAST = 32;
    private static final int MOST = 1024;
    private static final int USUAL = 128;

    /** @throws BadRequestException if it chooses something else, or a value that there is not */
    public static Choices of(Schedule schedule) {
        Set<String> names = schedule.options().keySet();
        names.stream().filter(name -> !name.equals(THREADS)).findFirst().ifPresent(name -> {
            throw new BadRequestException("a tile kernel's schedule has no option '" + name + "': it has '" + THREADS
                    + "', such as " + THREADS + "=256");
        });
        if (schedule.grid().isPresent()) {
            throw new BadRequestException("a block of a tile kernel takes 1 tile, got the grid '"
                    + schedule.gridText() + "': leave it out");
        }
        return new Choices(schedule.get(THREADS).map(text -> OptionalInt.of(threads(text)))
                .orElseGet(OptionalInt::empty));
    }

    private static int threads(String text) {
        if (text.matches("[1-9]\\d{0,8}")) {
            int threads = Integer.parseInt(text);
            if (threads >= LEAST && threads <= MOST && Integer.bitCount(threads) == 1) {
                return threads;
            }
        }
        throw new BadRequestException("a block of a tile kernel has 32, 64, … 1024 threads, got " + THREADS + "="
                + text + ": choose one of these powers of two");
    }

    /** Numbers of threads to try, in order. */
    List<Integer> tries() {
        return threads.isPresent() ? List.of(threads.getAsInt())
                : List.of(USUAL, 2 * USUAL, 4 * USUAL, MOST);
    }
}
