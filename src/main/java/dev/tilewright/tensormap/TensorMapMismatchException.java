package dev.tilewright.tensormap;

import dev.tilewright.tensormap.call.EncodeCall;
import java.util.HexFormat;

/** Two encoders do not agree about one call: one of them is wrong about the hardware. */
public final class TensorMapMismatchException extends IllegalStateException {

    private TensorMapMismatchException(String message, Throwable cause) {
        super(message, cause);
    }

    static TensorMapMismatchException refused(String refuser, String accepter, EncodeCall call,
            TensorMapException why) {
        return new TensorMapMismatchException(refuser + " refuses what " + accepter + " accepts: " + call, why);
    }

    static TensorMapMismatchException bytes(String one, byte[] first, String two, byte[] second, int offset,
            EncodeCall call) {
        HexFormat hex = HexFormat.of();
        return new TensorMapMismatchException("%s and %s differ from byte 0x%02x on for %s%n  %s%n  %s".formatted(
                one, two, offset, call, hex.formatHex(first), hex.formatHex(second)), null);
    }
}
