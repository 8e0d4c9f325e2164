package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of equal parts of a run, each for a machine of its own.
 *
 * @param number from 1
 * @param count how many there are
 */
public record Shard(int number, int count) {
    /** The whole. */
    public static final Shard ALL = new Shard(1, 1);
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})/(\\d{1,9})");

    public Shard {
        if (count < 1 || number < 1 || number > count) {
            throw new BadRequestException("a shard is N/M with N from 1 to M, such as 2/8, got " + number + "/"
                    + count);
        }
    }

    /** Reads {@code 2/8}. @throws BadRequestException if that is no shard */
    public static Shard parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new BadRequestException("a shard is N/M with N from 1 to M, such as 2/8, got '" + text + "'");
        }
        return new Shard(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }

    @Override
    public String toString() {
        return number + "/" + count;
    }
}
