package dev.tilewright.ptx;

/** What {@code st.async} and {@code red.async} to global memory have in common. */
final class AsyncRelease {
    private AsyncRelease() {
    }

    static void requireScope(String instruction, Scope scope, String section) {
        if (scope != Scope.GPU && scope != Scope.SYS) {
            throw new IllegalFormException(
                    instruction + ".release to global memory is at scope .gpu or .sys, got " + scope.text(), section);
        }
    }
}
