package dev.tilewright.cli.option;

import dev.tilewright.BadRequestException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads how long something may take: {@code 30s}, {@code 5m}, {@code 2h}; a number alone is seconds. */
public final class TimeSpan {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,5})([smh])?");
    private static final long MOST_SECONDS = 24 * 3600;

    private TimeSpan() { }

    /** @throws BadRequestException if it is none, or none from a second to a day */
    public static Duration parse(String option, String text) {
        Matcher matcher = TEXT.matcher(text);
        long seconds = 0;
        if (matcher.matches()) {
            seconds = Long.parseLong(matcher.group(1)) * switch (matcher.group(2)) {
                case "h" -> 3600;
                case "m" -> 60;
                case null, default -> 1;
            };
        }
        if (seconds < 1 || seconds > MOST_SECONDS) {
            throw new BadRequestException(option + " takes 1s to 24 hours, such as 30s or 5m, got '" + text + "'");
        }
        return Duration.ofSeconds(seconds);
    }
}
