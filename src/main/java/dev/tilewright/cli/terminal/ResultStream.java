package dev.tilewright.cli.terminal;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Where results are printed, which remembers why it could not be written: a {@link PrintStream} forgets. */
public final class ResultStream extends PrintStream {
    /** What the kernel calls what standard output leads to: {@code pipe:[123]} for a pipe (proc(5)). */
    private static final Path STANDARD_OUTPUT = Path.of("/proc/self/fd/1");

    private final Watched watched;
    private final boolean isStandard;

    private ResultStream(Watched watched, Charset charset, boolean isStandard) {
        super(new BufferedOutputStream(watched), true, charset);
        this.watched = watched;
        this.isStandard = isStandard;
    }

    /** Standard output of this process. */
    public static ResultStream standard() {
        return new ResultStream(new Watched(new FileOutputStream(FileDescriptor.out)), System.out.charset(), true);
    }

    public static ResultStream to(OutputStream out, Charset charset) {
        return new ResultStream(new Watched(out), charset, false);
    }

    /** What went wrong first; empty as long as nothing has. */
    public Optional<IOException> problem() {
        return Optional.ofNullable(watched.problem);
    }

    /** Whether what read it has ended, as {@code head} does when it has enough. A pipe fails for no other reason. */
    public boolean isReaderGone() {
        return watched.problem != null && (String.valueOf(watched.problem.getMessage()).contains("Broken pipe")
                || isStandard && isPipe());
    }

    /** The error's text may be in the user's language. */
    private static boolean isPipe() {
        try {
            String name = Files.readSymbolicLink(STANDARD_OUTPUT).toString();
            return name.startsWith("pipe:") || name.startsWith("socket:");
        } catch (IOException e) {
            return false;
        }
    }

    private static final class Watched extends FilterOutputStream {
        private volatile IOException problem;

        Watched(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
                out.flush();
            } catch (IOException e) {
                problem = problem == null ? e : problem;
                throw e;
            }
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }
    }
}
