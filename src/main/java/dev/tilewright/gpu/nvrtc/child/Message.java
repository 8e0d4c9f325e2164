package dev.tilewright.gpu.nvrtc.child;

import dev.tilewright.gpu.nvrtc.Compiler;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StreamCorruptedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a process and its compiler's process say to each other: a mark, the number of bytes, and the bytes, of which the
 * first tells the kind of message. Numbers are big-endian; texts are UTF-8, preceded by their length.
 */
sealed interface Message {

    /** To the compiler, first: the libnvrtc to load. */
    record Open(String file) implements Message { }

    /** The answer to it: what was loaded. */
    record Ready(NvrtcVersion version, List<Integer> architectures) implements Message { }

    /** To the compiler. */
    record Compile(String source, String name, List<String> options) implements Message { }

    /** The answer to it. */
    record Done(Compiler.Outcome outcome) implements Message { }

    /** The answer to anything that did not work. @param missing whether something that is needed is not there */
    record Failed(boolean missing, String message) implements Message { }

    /** So that what another writer puts into the stream is not taken for a message. */
    int MARK = 0x54574331;

    /** Writes a message and flushes. */
    static void write(OutputStream to, Message message) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        encode(new DataOutputStream(body), message);
        DataOutputStream out = new DataOutputStream(to);
        out.writeInt(MARK);
        out.writeInt(body.size());
        body.writeTo(out);
        out.flush();
    }

    /**
     * Reads a message.
     *
     * @throws java.io.EOFException if the other side has ended
     * @throws StreamCorruptedException if this is no message
     */
    static Message read(InputStream from) throws IOException {
        DataInputStream in = new DataInputStream(from);
        int mark = in.readInt();
        int bytes = in.readInt();
        if (mark != MARK || bytes < 0) {
            throw new StreamCorruptedException("not a message: " + Integer.toHexString(mark));
        }
        byte[] body = new byte[bytes];
        in.readFully(body);
        return decode(new DataInputStream(new ByteArrayInputStream(body)));
    }

    private static void encode(DataOutputStream out, Message message) throws IOException {
        switch (message) {
            case Open m -> {
                out.writeByte(0);
                text(out, m.file);
            }
            case Ready m -> {
                out.writeByte(1);
                out.writeInt(m.version.major());
                out.writeInt(m.version.minor());
                out.writeInt(m.architectures.size());
                for (int architecture : m.architectures) {
                    out.writeInt(architecture);
                }
            }
            case Compile m -> {
                out.writeByte(2);
                text(out, m.source);
                text(out, m.name);
                out.writeInt(m.options.size());
                for (String option : m.options) {
                    text(out, option);
                }
            }
            case Done m -> {
                out.writeByte(3);
                out.writeInt(m.outcome.result());
                text(out, m.outcome.reason());
                text(out, m.outcome.log());
                bytes(out, m.outcome.cubin());
                text(out, m.outcome.ptx());
            }
            case Failed m -> {
                out.writeByte(4);
                out.writeBoolean(m.missing);
                text(out, m.message);
            }
        }
    }

    private static Message decode(DataInputStream in) throws IOException {
        int kind = in.readByte();
        return switch (kind) {
            case 0 -> new Open(text(in));
            case 1 -> {
                NvrtcVersion version = new NvrtcVersion(in.readInt(), in.readInt());
                List<Integer> architectures = new ArrayList<>();
                for (int left = in.readInt(); left > 0; left--) {
                    architectures.add(in.readInt());
                }
                yield new Ready(version, List.copyOf(architectures));
            }
            case 2 -> {
                String source = text(in);
                String name = text(in);
                List<String> options = new ArrayList<>();
                for (int left = in.readInt(); left > 0; left--) {
                    options.add(text(in));
                }
                yield new Compile(source, name, List.copyOf(options));
            }
            case 3 -> new Done(new Compiler.Outcome(in.readInt(), text(in), text(in), bytes(in), text(in)));
            case 4 -> new Failed(in.readBoolean(), text(in));
            default -> throw new StreamCorruptedException("no message is of kind " + kind);
        };
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        bytes(out, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(bytes(in), StandardCharsets.UTF_8);
    }

    private static void bytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
