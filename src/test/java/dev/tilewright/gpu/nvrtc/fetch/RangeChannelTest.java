package dev.tilewright.gpu.nvrtc.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What is read through the channel, and what is asked for in its behalf. */
class RangeChannelTest {
    private static final byte[] FILE = RemoteZipTest.content(100_000, 1);

    private final List<String> requests = new ArrayList<>();
    /** Bytes that a request gives out before it ends. */
    private int most = Integer.MAX_VALUE;

    private RangeChannel channel() {
        return new RangeChannel(new ByteRanges() {
            @Override
            public long size() {
                return FILE.length;
            }

            @Override
            public InputStream open(long offset, long count) {
                requests.add(offset + "+" + count);
                return new ByteArrayInputStream(FILE, (int) offset, (int) Math.min(most, count));
            }
        });
    }

    private static byte[] read(RangeChannel channel, long at, int count) throws IOException {
        ByteBuffer to = ByteBuffer.allocate(count);
        channel.position(at);
        while (to.hasRemaining() && channel.read(to) >= 0) {
            // Until it is full.
        }
        return Arrays.copyOf(to.array(), to.position());
    }

    @Property(tries = 200)
    void whateverIsAnnouncedTheBytesAreTheFiles(@ForAll long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        try (RangeChannel channel = channel()) {
            for (int i = 0; i < 20; i++) {
                int at = random.nextInt(FILE.length);
                int count = random.nextInt(40_000);
                if (random.nextBoolean()) {
                    channel.announce(random.nextBoolean() ? at : random.nextInt(FILE.length), random.nextInt(80_000));
                }
                assertArrayEquals(Arrays.copyOfRange(FILE, at, Math.min(FILE.length, at + count)),
                        read(channel, at, count));
            }
        }
    }

    @Test
    void whatIsAnnouncedIsOneRequestAndTheRestIsKeptInBlocks() throws IOException {
        try (RangeChannel channel = channel()) {
            assertEquals(FILE.length, channel.size());
            read(channel, 99_990, 10);
            read(channel, 99_000, 500);
            read(channel, 16_380, 8);
            assertEquals(List.of("98304+1696", "0+16384", "16384+16384"), requests);
            requests.clear();
            channel.announce(20_000, 60_000);
            for (int at = 20_000; at < 80_000; at += 7_500) {
                read(channel, at, 7_500);
            }
            assertEquals(List.of("20000+60000"), requests);
            assertEquals(80_000, channel.position());
        }
    }

    @Test
    void theEndOfTheFileIsTheEnd() throws IOException {
        try (RangeChannel channel = channel()) {
            assertEquals(0, read(channel, FILE.length, 1).length);
            assertEquals(0, read(channel, FILE.length + 5L, 1).length);
            assertEquals(0, channel.position(7).read(ByteBuffer.allocate(0)));
            assertEquals(List.of(), requests);
            channel.announce(99_999, 1_000);
            assertArrayEquals(new byte[] {FILE[99_999]}, read(channel, 99_999, 1_000));
            assertEquals(List.of("99999+1"), requests);
        }
    }

    @Test
    void anAnswerThatBreaksOffIsSaid() throws IOException {
        most = 100;
        try (RangeChannel channel = channel()) {
            assertEquals("got 100 of 16384 bytes",
                    assertThrows(EOFException.class, () -> read(channel, 0, 1)).getMessage());
            channel.announce(0, 300);
            assertEquals("got 100 of 300 bytes",
                    assertThrows(EOFException.class, () -> read(channel, 0, 300)).getMessage());
        }
    }

    @Test
    void itIsForReadingWhileItIsOpen() throws IOException {
        RangeChannel channel = channel();
        assertThrows(NonWritableChannelException.class, () -> channel.write(ByteBuffer.allocate(1)));
        assertThrows(NonWritableChannelException.class, () -> channel.truncate(1));
        assertThrows(IllegalArgumentException.class, () -> channel.position(-1));
        channel.close();
        assertFalse(channel.isOpen());
        assertThrows(ClosedChannelException.class, () -> channel.read(ByteBuffer.allocate(1)));
    }
}
