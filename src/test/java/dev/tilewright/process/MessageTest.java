package dev.tilewright.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.StreamCorruptedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What is written is read, and nothing else is taken for a message. */
class MessageTest {

    private static Message read(byte[] bytes) throws IOException {
        return Message.read(new ByteArrayInputStream(bytes));
    }

    /** Any text without unpaired surrogates, which UTF-8 does not have. */
    private static String sound(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    @Property
    void everyMessageComesThroughAndNoPartOfOne(@ForAll List<String> texts) throws IOException {
        Message message = new Message("word", texts.stream().map(MessageTest::sound).toList());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        message.write(out);
        byte[] bytes = out.toByteArray();
        assertEquals(message, read(bytes));
        assertEquals(message, Message.parse(message.toString()));
        byte[] cut = Arrays.copyOf(bytes, bytes.length / 2);
        assertThrows(EOFException.class, () -> read(cut));
    }

    @Test
    void fieldsThatLinesAreMadeOfAreEscaped() {
        Message message = Message.of("a", "b\tc\\n", 7, true).with(List.of("", "\r\n"));
        assertEquals("\u0002a\tb\\tc\\\\n\t7\ttrue\t\t\\r\\n", message.toString());
        assertEquals(7, message.number(1));
        assertEquals(List.of("", "\r\n"), message.from(3));
    }

    @Test
    void whatIsNoMessageIsRefused() {
        for (String line : List.of("", "a line of somebody else", "\u0002a\tb\\", "\u0002a\t\\x")) {
            assertThrows(IllegalArgumentException.class, () -> Message.parse(line), line);
        }
        assertThrows(StreamCorruptedException.class, () -> read("\u0002a\t\\x\n".getBytes(StandardCharsets.UTF_8)));
        Message message = Message.of("a", "soon");
        assertThrows(IllegalArgumentException.class, () -> message.field(1));
        assertThrows(IllegalArgumentException.class, () -> message.from(2));
        assertThrows(IllegalArgumentException.class, () -> message.number(0));
        assertThrows(IllegalArgumentException.class, () -> message.flag(0));
    }

    /** Its end may never come. */
    @Test
    void ofWhatIsNoMessageOneByteIsEnough() {
        InputStream waits = new InputStream() {
            @Override
            public int read() {
                throw new AssertionError("waited for more");
            }
        };
        assertThrows(StreamCorruptedException.class, () -> Message.read(new SequenceInputStream(
                new ByteArrayInputStream(new byte[] {'s'}), waits)));
    }
}
