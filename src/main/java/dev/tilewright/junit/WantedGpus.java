package dev.tilewright.junit;

import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The GPUs that a test needs.
 *
 * @param minimum what each supports
 * @param count how many there are
 */
record WantedGpus(Target minimum, int count) {

    WantedGpus {
        if (count < 1) {
            throw new IllegalArgumentException("@RequiresGpu asks for at least 1 GPU, got count = " + count);
        }
    }

    /** This machine's, looked for once. */
    private static final class Here {
        private static final Devices DEVICES = Devices.probe();
    }

    static WantedGpus of(RequiresGpu annotation) {
        return new WantedGpus(Target.parse(annotation.minimum()), annotation.count());
    }

    /** The GPUs of this machine. */
    static Devices here() {
        return Here.DEVICES;
    }

    /** Why they are not there, in one sentence; empty if they are. */
    Optional<String> missingAmong(Devices devices) {
        List<DeviceInfo> all = devices.list();
        if (all.isEmpty()) {
            return Optional.of("this needs " + this + ": " + devices.why());
        }
        long found = all.stream().filter(d -> d.target().supports(minimum)).count();
        return found >= count ? Optional.empty() : Optional.of("this needs " + this + ": of "
                + (all.size() == 1 ? "1 GPU here" : all.size() + " GPUs here") + " " + (found == 0 ? "none" : found)
                + (found == 0 || found == 1 ? " is one (" : " are (") + all.stream()
                        .map(d -> "GPU " + d.ordinal() + " is " + d.name() + ", " + d.target())
                        .collect(Collectors.joining("; ")) + ")");
    }

    @Override
    public String toString() {
        boolean alone = minimum.variant() != Target.Variant.BASELINE;
        return (count == 1 ? "a GPU" : count + " GPUs") + " of " + minimum + (alone ? "" : " or later");
    }
}
