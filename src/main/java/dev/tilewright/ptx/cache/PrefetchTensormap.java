package dev.tilewright.ptx.cache;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Objects;

/**
 * {@code prefetch.tensormap}: brings a tensor map near the copy engine before its first use. Inputs, in order:
 * {@code map}.
 *
 * @param place where the map is
 */
@About(section = "prefetch / prefetchu", role = StepRole.OTHER,
        summary = "brings a tensor map near the copy engine before its first use")
public record PrefetchTensormap(Place place) implements CacheInstruction {
    public PrefetchTensormap {
        Objects.requireNonNull(place, "place");
    }

    /** The state space of the map, and how its address is written. */
    public enum Place implements Qualifier {
        /** A generic address of a kernel parameter or of global memory. */
        GENERIC, CONST, PARAM;

        @Override
        public String text() {
            return this == GENERIC ? "" : Qualifier.super.text();
        }
    }

    /** At a generic address. */
    public PrefetchTensormap() {
        this(Place.GENERIC);
    }

    /** At an address in this space. */
    public PrefetchTensormap withPlace(Place place) {
        return new PrefetchTensormap(place);
    }

    @Override
    public Form form() {
        return FormBuilder.form("prefetch").with(place).with(".tensormap")
                .operand("map", place == Place.GENERIC ? Operand.Kind.GENERIC_ADDRESS : Operand.Kind.SPACE_ADDRESS)
                .named("prefetch_tensormap" + place.text().replace('.', '_'))
                .needs(Gates.HOPPER, reads("map", Proxy.TENSORMAP, bytes(128)));
    }
}
