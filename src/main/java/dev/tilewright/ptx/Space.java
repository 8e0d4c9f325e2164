package dev.tilewright.ptx;

import dev.tilewright.ptx.form.Gates;
import java.util.EnumSet;
import java.util.Set;

/** The memory that threads share: where an address points, and how it is written (PTX ISA, "State Spaces"). */
public enum Space implements Qualifier {
    /** Not said: a 64-bit generic address. */
    GENERIC("", Operand.Kind.GENERIC_ADDRESS, Operand.Kind.GENERIC_DESTINATION),
    GLOBAL(".global", Operand.Kind.GLOBAL_ADDRESS, Operand.Kind.GLOBAL_DESTINATION),
    /** The block's own shared memory, as every version spells it. */
    SHARED(".shared", Operand.Kind.SHARED_ADDRESS, Operand.Kind.SHARED_ADDRESS),
    /** The block's own shared memory, as it is spelled since there are clusters. */
    SHARED_CTA(".shared::cta", Operand.Kind.SHARED_ADDRESS, Operand.Kind.SHARED_ADDRESS),
    /** The shared memory of any block of the cluster. */
    SHARED_CLUSTER(".shared::cluster", Operand.Kind.CLUSTER_ADDRESS, Operand.Kind.CLUSTER_ADDRESS);

    public static final Set<Space> OWN_SHARED = EnumSet.of(GENERIC, SHARED, SHARED_CTA);
    public static final Set<Space> ANY_SHARED = EnumSet.of(GENERIC, SHARED, SHARED_CTA, SHARED_CLUSTER);

    private final String text;
    private final Operand.Kind read;
    private final Operand.Kind written;

    Space(String text, Operand.Kind read, Operand.Kind written) {
        this.text = text;
        this.read = read;
        this.written = written;
    }

    @Override
    public String text() {
        return text;
    }

    /** An address operand in this space that is only read from. */
    public Operand source(String name) {
        return Operand.of(name, read);
    }

    /** An address operand in this space that is written to. */
    public Operand destination(String name) {
        return Operand.of(name, written);
    }

    public Gate gate() {
        return switch (this) {
            case GENERIC, GLOBAL, SHARED -> Gates.AMPERE;
            case SHARED_CTA -> Gates.SHARED_CTA;
            case SHARED_CLUSTER -> Gates.CLUSTERS;
        };
    }

    /** For function names: {@code _shared_cta}. */
    public String suffix() {
        return text.replace("::", "_").replace('.', '_');
    }

    public static void require(String instruction, Space space, Set<Space> allowed, String section) {
        if (!allowed.contains(space)) {
            throw new IllegalFormException(instruction + " takes an address in "
                    + String.join(", ", allowed.stream().map(Space::title).toList()) + ", got " + space.title(),
                    section);
        }
    }

    private String title() {
        return text.isEmpty() ? "generic space" : text;
    }
}
