package dev.tilewright.gpu.compile;

import dev.tilewright.NotNull;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The result of a compilation.
 *
 * @param cubin device code, for the driver to load
 * @param remarks what the compiler had to say all the same, each in one line as it says it: the front end's warnings,
 *     and those of the assembler ({@code ptxas}), such as
 *     {@code (C7508) Potential Performance Loss: 'setmaxnreg' ignored; ...}, {@code (C7510) ... wgmma ... serialized
 *     ...} or {@code (C7519) ... fence ... injected}. A kernel from the cache has those of when it was compiled
 */
public record Compilation(byte[] cubin, List<String> remarks) {
    /** What ptxas says besides, if it is asked for it: statistics. */
    private static final Pattern REMARK = Pattern.compile(
            "(?:.*\\(\\d+\\): )?warning\\b.*|.*: warning\\b.*|ptxas (?:warning|info) *:.*\\(C\\d+\\).*|ptxas warning "
            + "*:.*|ptxas .*; *(?:warning|info) *:.*");
    private static final byte[] MARK = "TWREMARK".getBytes(StandardCharsets.US_ASCII);

    public Compilation {
        NotNull.all("cubin, remarks", cubin, remarks);
        remarks = List.copyOf(remarks);
    }

    /** @param log all that the compiler said */
    static Compilation of(byte[] cubin, String log) {
        return new Compilation(cubin, log.lines().filter(line -> REMARK.matcher(line).matches())
                .map(String::strip).distinct().toList());
    }

    /** The bytes that the cache keeps: device code by itself, where there is nothing else to keep. */
    byte[] packed() {
        if (remarks.isEmpty()) {
            return cubin;
        }
        byte[] text = String.join("\n", remarks).getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(MARK.length + Integer.BYTES + text.length + cubin.length).put(MARK)
                .putInt(text.length).put(text).put(cubin).array();
    }

    static Compilation unpacked(byte[] kept) {
        if (kept.length < MARK.length + Integer.BYTES || !Arrays.equals(kept, 0, MARK.length, MARK, 0, MARK.length)) {
            return new Compilation(kept, List.of());
        }
        ByteBuffer from = ByteBuffer.wrap(kept, MARK.length, kept.length - MARK.length);
        byte[] text = new byte[from.getInt()];
        from.get(text);
        byte[] cubin = new byte[from.remaining()];
        from.get(cubin);
        return new Compilation(cubin, new String(text, StandardCharsets.UTF_8).lines().toList());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Compilation c && Arrays.equals(cubin, c.cubin) && remarks.equals(c.remarks);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(cubin) + remarks.hashCode();
    }

    @Override
    public String toString() {
        return cubin.length + " bytes of device code" + (remarks.isEmpty() ? "" : ", remarks: " + remarks);
    }
}
