package dev.tilewright.process;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StreamCorruptedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a process of this library and the one that started it say to each other: a line of UTF-8 that begins with a
 * mark, so that what another writer puts into the stream is not taken for one; then a word and fields, with tabs
 * between them. A field is any text: tabs, ends of lines and backslashes of it are written {@code \\t}, {@code \\n},
 * {@code \\r} and two backslashes.
 *
 * @param word what kind of message it is
 */
public record Message(String word, List<String> fields) {
    private static final char MARK = 2;

    public Message {
        fields = List.copyOf(fields);
    }

    /** A message with a field for each value, as its text. */
    public static Message of(String word, Object... fields) {
        return new Message(word, Arrays.stream(fields).map(Object::toString).toList());
    }

    /** This message with more fields behind its own. */
    public Message with(List<?> more) {
        List<String> all = new ArrayList<>(fields);
        more.forEach(field -> all.add(field.toString()));
        return new Message(word, all);
    }

    /** Reads a line, without its end. @throws IllegalArgumentException if it is no message */
    public static Message parse(String line) {
        if (line.isEmpty() || line.charAt(0) != MARK) {
            throw new IllegalArgumentException("not a message");
        }
        List<String> words = Arrays.stream(line.substring(1).split("\t", -1)).map(Message::unescaped).toList();
        return new Message(words.getFirst(), words.subList(1, words.size()));
    }

    /**
     * Reads a message; of what is none, no more than a byte is waited for.
     *
     * @throws EOFException if the other side has ended
     * @throws StreamCorruptedException if this is no message
     */
    public static Message read(InputStream from) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = from.read(); next != '\n'; next = from.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            if (line.size() == 0 && next != MARK) {
                throw new StreamCorruptedException("not a message: it begins with byte " + next);
            }
            line.write(next);
        }
        try {
            return parse(line.toString(StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw new StreamCorruptedException(e.getMessage());
        }
    }

    /** Writes the line with its end, and flushes. */
    public void write(OutputStream to) throws IOException {
        to.write((this + "\n").getBytes(StandardCharsets.UTF_8));
        to.flush();
    }

    private static String unescaped(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder plain = new StringBuilder(text.length());
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c != '\\') {
                plain.append(c);
            } else {
                plain.append(switch (++at < text.length() ? text.charAt(at) : 0) {
                    case '\\' -> '\\';
                    case 't' -> '\t';
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    default -> throw new IllegalArgumentException("a backslash in a message is followed by another, t, "
                            + "n or r");
                });
            }
        }
        return plain.toString();
    }

    /** A field by its place. @throws IllegalArgumentException if there is none */
    public String field(int place) {
        if (place >= fields.size()) {
            throw new IllegalArgumentException("a message '" + word + "' needs more than " + fields.size() + " fields");
        }
        return fields.get(place);
    }

    /** A field that is a number. @throws IllegalArgumentException if it is none */
    public long number(int place) {
        return Long.parseLong(field(place));
    }

    /** A field that is {@code true} or {@code false}. @throws IllegalArgumentException if it is neither */
    public boolean flag(int place) {
        return switch (field(place)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false: " + field(place));
        };
    }

    /** The fields from a place on. @throws IllegalArgumentException if there are not that many before it */
    public List<String> from(int place) {
        if (place > fields.size()) {
            throw new IllegalArgumentException("a message '" + word + "' needs more than " + fields.size() + " fields");
        }
        return fields.subList(place, fields.size());
    }

    /** The line, without its end. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder().append(MARK).append(word);
        fields.forEach(field -> line.append('\t').append(field.replace("\\", "\\\\").replace("\t", "\\t")
                .replace("\n", "\\n").replace("\r", "\\r")));
        return line.toString();
    }
}
