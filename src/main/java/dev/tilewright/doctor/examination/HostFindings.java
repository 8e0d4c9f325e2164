package dev.tilewright.doctor.examination;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.doctor.machine.CacheFacts;
import dev.tilewright.doctor.machine.HostFacts;
import dev.tilewright.doctor.machine.JavaFacts;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.gpu.host.ByteSize;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.stream.Collectors;

/** The Java, and what it does for kernels by itself. */
final class HostFindings {
    private static final String ENCODERS = "encoder";
    private static final String CACHE = "cache";
    /** The first with JDK-8377811 mended. */
    private static final Runtime.Version SAFE = Runtime.Version.parse("25.0.3");

    private HostFindings() { }

    /** Which Java this is, and whether it is one with a known fault. */
    static List<Notice> jdk(HostFacts machine) {
        JavaFacts java = machine.java();
        String fact = java.version() + " (" + java.vendor() + "), " + java.home();
        boolean safe = Runtime.Version.parse(java.version()).compareToIgnoreOptional(SAFE) >= 0;
        return List.of(safe ? Notice.ok("jdk", fact) : Notice.note("jdk", fact + ": before " + SAFE
                + " arrays are not safe that a JNI library such as JCuda holds (JDK-8377811)",
                "update this JDK to " + SAFE + " or later"));
    }

    /** Whether Java may call libcuda and NVRTC, which are native code (JEP 472). */
    static List<Notice> nativeCalls(HostFacts machine) {
        JavaFacts java = machine.java();
        return switch (java.nativeAccess()) {
            case ENABLED -> List.of();
            case WARNED ->
                    List.of(Notice.note("native", "no flag allows this Java to call native code: it warns, and a"
                    + " later Java will refuse", "add " + java.flag() + " to the java command"));
            case DENIED -> List.of(Notice.broken("native", "this Java may not call native code: no driver"
                    + " is reached, and NVRTC in a process of its own alone",
                    "add " + java.flag() + " to the java command"));
        };
    }

    /** What encodes the tensor maps of launches: each GPU has its default, the property is for all. */
    static List<Notice> encoders(HostFacts machine) {
        String override = machine.settings().get(EncoderChoice.PROPERTY);
        String why = override == null ? "the default" : "-D" + EncoderChoice.PROPERTY + "=" + override;
        try {
            String encoders = machine.gpus().stream().filter(d -> d.major() >= Target.SM_90.major())
                    .map(d -> EncoderChoice.configured(Target.parse(d.target())).title() + " for gpu " + d.ordinal())
                    .collect(Collectors.joining(", "));
            return List.of(Notice.ok(ENCODERS, "tensor maps are encoded by " + (encoders.isEmpty()
                    ? EncoderChoice.configured(Target.SM_90).title() + " for sm_90" : encoders) + " (" + why + ")"));
        } catch (BadRequestException e) {
            return List.of(Notice.broken(ENCODERS, e.getMessage(), "correct it, or leave it out for the default"));
        }
    }

    /** Whether compiled kernels are kept. */
    static List<Notice> cache(HostFacts machine) {
        CacheFacts cache = machine.cache();
        if (!cache.problem().isEmpty()) {
            return List.of(Notice.broken(CACHE, cache.problem() + ": every run compiles its kernel anew",
                    "set TILEWRIGHT_CACHE to a folder of yours, on a disk with room"));
        }
        String fact = cache.folder() + ": " + Counted.of(cache.kernels(), "kernel") + ", " + ByteSize.of(cache.bytes())
                + " of at most " + ByteSize.of(cache.limit());
        return List.of(isFull(cache) ? Notice.note(CACHE,
                fact + ", and " + ByteSize.of(cache.free()) + " free on its disk",
                "make room, or set TILEWRIGHT_CACHE to a folder of yours on another disk") : Notice.ok(CACHE, fact));
    }

    /** Whether the disk ends before the cache does. */
    private static boolean isFull(CacheFacts cache) {
        return cache.free() >= 0 && cache.free() < cache.limit() - cache.bytes();
    }
}
