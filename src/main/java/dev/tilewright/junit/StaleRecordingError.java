package dev.tilewright.junit;

import org.opentest4j.AssertionFailedError;

/**
 * A recording is of another kernel, launch or input than the test has now: it says nothing of these. It is to be made
 * anew, which is no difference between bytes.
 */
// Modules that use it require JUnit, and with it opentest4j, themselves.
@SuppressWarnings("exports")
public final class StaleRecordingError extends AssertionFailedError {
    private static final long serialVersionUID = 1;

    StaleRecordingError(String message) {
        super(message);
    }
}
