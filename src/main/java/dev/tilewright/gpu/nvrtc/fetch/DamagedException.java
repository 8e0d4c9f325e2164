package dev.tilewright.gpu.nvrtc.fetch;

import java.util.zip.ZipException;

/** What came is no jar with the files as they were published; another try would bring the same. */
final class DamagedException extends ZipException {

    DamagedException(String message) {
        super(message);
    }

    DamagedException(String message, Throwable cause) {
        super(message);
        initCause(cause);
    }
}
