package dev.tilewright.gpu;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.concurrent.EachOf;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A choice among the GPUs of this machine: {@code Gpu.choose().atLeast(Target.SM_90).withFree(8L << 30).open()}.
 * Immutable.
 */
public final class GpuChoice {
    private final Supplier<Devices> probe;
    private final Opener opener;
    private final Target minimum;
    private final long free;

    /** Opens one of the devices. */
    interface Opener {
        Gpu open(Devices devices, int ordinal);
    }

    /** Any. */
    GpuChoice(Supplier<Devices> probe, Opener opener) {
        this(probe, opener, null, 0);
    }

    private GpuChoice(Supplier<Devices> probe, Opener opener, Target minimum, long free) {
        this.probe = probe;
        this.opener = opener;
        this.minimum = minimum;
        this.free = free;
    }

    /**
     * Only GPUs of this compute capability or a later one; for a target with a letter, such as {@code sm_90a}, only
     * GPUs that run code compiled for it.
     */
    public GpuChoice atLeast(Target target) {
        Objects.requireNonNull(target, "target");
        return new GpuChoice(probe, opener, target, free);
    }

    /** Only those with this many bytes of free memory. */
    public GpuChoice withFree(long bytes) {
        return new GpuChoice(probe, opener, minimum, bytes);
    }

    /**
     * Opens the one that suits with the most free memory.
     *
     * @throws MissingRequirementException if there is none, with the reason for each GPU that is there
     */
    public Gpu open() {
        List<Gpu> all = openAll();
        try {
            Gpu best = all.getFirst();
            long most = best.memory().free();
            for (Gpu gpu : all.subList(1, all.size())) {
                long there = gpu.memory().free();
                if (there > most) {
                    best = gpu;
                    most = there;
                }
            }
            Gpu chosen = best;
            EachOf.run(closing(all.stream().filter(gpu -> gpu != chosen).toList()));
            return best;
        } catch (RuntimeException e) {
            EachOf.run(closing(all), e);
            throw e;
        }
    }

    private static List<Runnable> closing(List<Gpu> gpus) {
        return gpus.stream().<Runnable>map(gpu -> gpu::close).toList();
    }

    /**
     * Opens all that suit, by ordinal.
     *
     * @throws MissingRequirementException if there is none, with the reasons
     */
    public List<Gpu> openAll() {
        Devices devices = probe.get();
        devices.require(0);
        List<Gpu> open = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        try {
            for (DeviceInfo info : devices.list()) {
                if (minimum != null && !suits(info)) {
                    reasons.add("GPU " + info.ordinal() + " (" + info.name() + ") is " + info.target());
                    continue;
                }
                Gpu gpu = opener.open(devices, info.ordinal());
                open.add(gpu);
                long there = gpu.memory().free();
                if (there < free) {
                    open.removeLast().close();
                    reasons.add("GPU " + info.ordinal() + " (" + info.name() + ") has " + there + " bytes free");
                }
            }
        } catch (RuntimeException e) {
            EachOf.run(closing(open), e);
            throw e;
        }
        if (open.isEmpty()) {
            throw new MissingRequirementException("no GPU here " + wanted() + ": " + String.join("; ", reasons));
        }
        return open;
    }

    private boolean suits(DeviceInfo info) {
        return minimum.variant() == Target.Variant.BASELINE
                ? 10 * info.major() + info.minor() >= 10 * minimum.major() + minimum.minor()
                : minimum.runsOn(info.major(), info.minor());
    }

    private String wanted() {
        List<String> wishes = new ArrayList<>();
        if (minimum != null) {
            wishes.add("is " + minimum + " or later");
        }
        if (free > 0) {
            wishes.add("has " + free + " bytes free");
        }
        return String.join(" and ", wishes);
    }

    /** {@code a GPU that is sm_90 or later}. */
    @Override
    public String toString() {
        return "a GPU" + (minimum == null && free <= 0 ? "" : " that " + wanted());
    }
}
