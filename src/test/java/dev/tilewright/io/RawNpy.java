package dev.tilewright.io;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Makes {@code .npy} files by hand, right and wrong ones, so that the reader is not tested with our own writer. */
final class RawNpy {

    private RawNpy() {}

    /** The dictionary as NumPy prints it. */
    static String dict(String descr, String shape) {
        return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    }

    /** A file of format 1.0 with this header text, padded as NumPy pads it, and so many zero bytes of data. */
    static byte[] file(String header, int dataBytes) {
        return file(1, header, new byte[dataBytes]);
    }

    /** A file of format {@code major}.0. */
    static byte[] file(int major, String header, byte[] data) {
        byte[] text = header.getBytes(major == 3 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1);
        int prefix = major == 1 ? 10 : 12;
        int padding = -(prefix + text.length + 1) & 63;
        int length = text.length + padding + 1;
        ByteBuffer file = ByteBuffer.allocate(prefix + length + data.length).order(ByteOrder.LITTLE_ENDIAN);
        file.put((byte) 0x93).put("NUMPY".getBytes(StandardCharsets.US_ASCII)).put((byte) major).put((byte) 0);
        if (major == 1) {
            file.putShort((short) length);
        } else {
            file.putInt(length);
        }
        file.put(text).put(" ".repeat(padding).getBytes(StandardCharsets.US_ASCII)).put((byte) '\n').put(data);
        return file.array();
    }
}
