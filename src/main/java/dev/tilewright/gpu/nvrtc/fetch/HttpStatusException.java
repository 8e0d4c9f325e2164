package dev.tilewright.gpu.nvrtc.fetch;

import java.io.IOException;

/** A server answered, but not with the file. */
final class HttpStatusException extends IOException {

    private final int status;

    HttpStatusException(int status, String hint) {
        super("the server answers with HTTP status " + status + hint);
        this.status = status;
    }

    /** Whether asking again may help: where the server says that it is its own trouble, or to come later (RFC 9110). */
    boolean mayPass() {
        return status >= 500 || status == 408 || status == 425 || status == 429;
    }
}
