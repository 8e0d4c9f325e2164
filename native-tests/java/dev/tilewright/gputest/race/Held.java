package dev.tilewright.gputest.race;

/** Closes what is held, without exceptions that callers have to name. */
final class Held {

    private Held() {
    }

    static void close(AutoCloseable held) {
        try {
            held.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
