package dev.tilewright.doctor.machine;

import dev.tilewright.gpu.host.NativeLibrary;
import java.util.Locale;

/**
 * The Java that this process runs in.
 *
 * @param version such as {@code 25.0.3}
 * @param feature the version's first number: 25
 * @param vendor who made it
 * @param home its folder
 * @param nativeAccess whether Tilewright may call libcuda and NVRTC
 * @param flag the option that allows it
 */
public record JavaFacts(String version, int feature, String vendor, String home, NativeAccess nativeAccess,
        String flag) {

    /** Whether Java code may call native code (JEP 472). */
    public enum NativeAccess {
        /** A flag or the jar's manifest allows it. */
        ENABLED,
        /** Nothing does; this JDK warns, and a later one will refuse. */
        WARNED,
        /** {@code --illegal-native-access=deny}, or a list of modules that lacks this one. */
        DENIED;

        /** {@code enabled}. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Of this process; before anything native is called, as the first call decides. */
    static JavaFacts look() {
        boolean enabled = NativeLibrary.class.getModule().isNativeAccessEnabled();
        return new JavaFacts(System.getProperty("java.version"), Runtime.version().feature(),
                System.getProperty("java.vendor"), System.getProperty("java.home"),
                enabled ? NativeAccess.ENABLED : NativeLibrary.isPermitted() ? NativeAccess.WARNED
                : NativeAccess.DENIED, "--enable-native-access=" + NativeLibrary.moduleToPermit());
    }
}
