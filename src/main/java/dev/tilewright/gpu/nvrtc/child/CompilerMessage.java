package dev.tilewright.gpu.nvrtc.child;

import dev.tilewright.gpu.nvrtc.Compiler;
import dev.tilewright.gpu.nvrtc.NvrtcVersion;
import dev.tilewright.process.Message;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StreamCorruptedException;
import java.util.Base64;
import java.util.List;

/** What a process and its compiler's process say to each other, as {@link Message}s. */
sealed interface CompilerMessage {

    /** To the compiler, first: the libnvrtc to load. */
    record Open(String file) implements CompilerMessage { }

    /** The answer to it: what was loaded. */
    record Ready(NvrtcVersion version, List<Integer> architectures) implements CompilerMessage { }

    /** To the compiler. */
    record Compile(String source, String name, List<String> options) implements CompilerMessage { }

    /** The answer to it. */
    record Done(Compiler.Outcome outcome) implements CompilerMessage { }

    /** The answer to anything that did not work. @param missing whether something that is needed is not there */
    record Failed(boolean missing, String message) implements CompilerMessage { }

    /** Writes a message and flushes. */
    static void write(OutputStream to, CompilerMessage message) throws IOException {
        Message said = switch (message) {
            case Open m -> Message.of("open", m.file);
            case Ready m -> Message.of("ready", m.version.major(), m.version.minor()).with(m.architectures);
            case Compile m -> Message.of("compile", m.source, m.name).with(m.options);
            case Done m -> Message.of("done", m.outcome.result(), m.outcome.reason(), m.outcome.log(),
                    Base64.getEncoder().encodeToString(m.outcome.cubin()), m.outcome.ptx());
            case Failed m -> Message.of("failed", m.missing, m.message);
        };
        said.write(to);
    }

    /**
     * Reads a message.
     *
     * @throws java.io.EOFException if the other side has ended
     * @throws StreamCorruptedException if this is no message
     */
    static CompilerMessage read(InputStream from) throws IOException {
        Message said = Message.read(from);
        try {
            return switch (said.word()) {
                case "open" -> new Open(said.field(0));
                case "ready" -> new Ready(new NvrtcVersion((int) said.number(0), (int) said.number(1)),
                        said.from(2).stream().map(Integer::valueOf).toList());
                case "compile" -> new Compile(said.field(0), said.field(1), said.from(2));
                case "done" -> new Done(new Compiler.Outcome((int) said.number(0), said.field(1), said.field(2),
                        Base64.getDecoder().decode(said.field(3)), said.field(4)));
                case "failed" -> new Failed(said.flag(0), said.field(1));
                default -> throw new IllegalArgumentException("no message of a compiler is '" + said.word() + "'");
            };
        } catch (IllegalArgumentException e) {
            throw new StreamCorruptedException(e.getMessage());
        }
    }
}
