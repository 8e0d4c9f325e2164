package dev.tilewright.cli.terminal;

import java.util.Optional;

/**
 * Something that failed, for tools that show it beside a line of source.
 *
 * @param title in a few words what failed, such as a test's name
 * @param message what is wrong with it; several lines, perhaps
 * @param file where, relative to the project's folder, with slashes; empty if that is not known
 * @param line in that file, from 1
 */
public record Failure(String title, String message, Optional<String> file, Optional<Integer> line) {
    /** One of no place. */
    public static Failure of(String title, String message) {
        return new Failure(title, message, Optional.empty(), Optional.empty());
    }
}
