package dev.tilewright.ptx.form;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;

/**
 * The PTX versions and targets of groups of forms.
 *
 * <p>Sources: the notes on versions and targets of each instruction in the PTX ISA 9.0, held against what ptxas 13.0
 * accepts, version by version and target by target. Where that assembler is laxer than the ISA, the ISA is followed
 * ({@link #ONE_WAY_FENCES}, and {@link #SHARED_CTA} on cp.async). PTX 7.0 and sm_80 stand for everything older.
 */
public final class Gates {
    public static final Gate AMPERE = Gate.of(7, 0, Target.SM_80);
    /** The sink instead of an arrival's token. */
    public static final Gate ARRIVE_SINK = Gate.of(7, 1, Target.SM_80);
    public static final Gate PARITY_TEST = Gate.of(7, 1, Target.SM_80);
    /** Cache policies, prefetch sizes, eviction priorities. */
    public static final Gate CACHE_HINTS = Gate.of(7, 4, Target.SM_80);
    public static final Gate CP_ASYNC_IGNORE = Gate.of(7, 5, Target.SM_80);
    public static final Gate FENCE_ALIAS = Gate.of(7, 5, Target.SM_80);
    public static final Gate PARAM = Gate.of(7, 7, Target.SM_80);
    /** The spelling {@code .shared::cta}. */
    public static final Gate SHARED_CTA = Gate.of(7, 8, Target.SM_80);
    /** Orders and scopes written on mbarrier instructions. */
    public static final Gate MBARRIER_SCOPES = Gate.of(8, 0, Target.SM_80);
    public static final Gate MOVMATRIX = Gate.of(7, 8, Target.SM_80);
    public static final Gate MMIO = Gate.of(8, 2, Target.SM_80);
    public static final Gate PARAM_ENTRY = Gate.of(8, 3, Target.SM_80);

    /** Products of 8-bit floats. */
    public static final Gate MMA_FP8 = Gate.of(8, 4, Target.SM_89);
    /** Products of 8-bit floats with a k of 16, or with sums in f16. */
    public static final Gate MMA_FP8_MORE = Gate.of(8, 7, Target.SM_89);

    /** What came with sm_90 itself. */
    public static final Gate HOPPER_FIRST = Gate.of(7, 8, Target.SM_90);
    /** The scope {@code .cluster} and the space {@code .shared::cluster}. */
    public static final Gate CLUSTERS = HOPPER_FIRST;
    /** The copy engine, transaction counts, the async proxy. */
    public static final Gate HOPPER = Gate.of(8, 0, Target.SM_90);
    public static final Gate ST_ASYNC = Gate.of(8, 1, Target.SM_90);
    public static final Gate TENSORMAP_FENCES = Gate.of(8, 3, Target.SM_90);
    /** Loads of the copy engine with a destination spelled {@code .shared::cta}. */
    public static final Gate BULK_TO_OWN_CTA = Gate.of(8, 6, Target.SM_90);
    public static final Gate RELAXED_MBARRIER = Gate.of(8, 6, Target.SM_90);
    public static final Gate SYNC_RESTRICT = Gate.of(8, 6, Target.SM_90);
    /** Fences that only acquire or only release. ptxas 13.0 takes them from PTX 7.0 and sm_80 on. */
    public static final Gate ONE_WAY_FENCES = Gate.of(8, 6, Target.SM_90);

    public static final Gate SETMAXNREG = architectures(Gate.of(8, 0, Target.SM_90A), 6);
    public static final Gate WGMMA = Gate.of(8, 0, Target.SM_90A);
    /** Of signed and unsigned integers together. */
    public static final Gate WGMMA_MIXED_INTEGERS = Gate.of(8, 4, Target.SM_90A);
    public static final Gate REPLACE = architectures(Gate.of(8, 3, Target.SM_90A), 6);

    public static final Gate BLACKWELL = Gate.of(8, 6, Target.SM_100);
    public static final Gate ASYNC_RELEASE = Gate.of(8, 7, Target.SM_100);
    /** What the data-centre family has and others need not. */
    public static final Gate BLACKWELL_FAMILIES = dataCentre();
    public static final Gate CTA_PAIRS = BLACKWELL_FAMILIES;
    /** What the data-centre and the consumer family have. */
    public static final Gate BLACKWELL_FAMILIES_AND_CONSUMER = architectures(null, 6);
    public static final Gate MATRIX_BYTES = BLACKWELL_FAMILIES_AND_CONSUMER;
    public static final Gate REPLACE_ATOMICITY = BLACKWELL_FAMILIES_AND_CONSUMER;
    /** Swizzle mode 4, rows of 96 bytes. */
    public static final Gate REPLACE_96B_SWIZZLE = Gate.of(8, 8, Target.SM_103A);
    public static final Gate REPLACE_PACKED_TYPE = architectures(null, 7);

    private Gates() { }

    /** What an address in the space needs. */
    public static Gate of(Space space) {
        return switch (space) {
            case GENERIC, GLOBAL, SHARED -> AMPERE;
            case SHARED_CTA -> SHARED_CTA;
            case SHARED_CLUSTER -> CLUSTERS;
        };
    }

    /** What an mbarrier in the space needs: those of other blocks came after the space that they are in. */
    public static Gate ofBarrierIn(Space space) {
        return space == Space.SHARED_CLUSTER ? HOPPER : of(space);
    }

    /** What an order at the scope needs. */
    public static Gate of(Scope scope) {
        return scope == Scope.CLUSTER ? CLUSTERS : AMPERE;
    }

    private static Gate dataCentre() {
        return Gate.of(8, 6, Target.SM_100A).or(8, 8, Target.SM_100F).or(9, 0, Target.SM_110A).or(9, 0, Target.SM_110F);
    }

    /** Any architecture-specific target from sm_100 on. @param minor of the PTX 8 that has the form on sm_100a */
    private static Gate architectures(Gate first, int minor) {
        Gate data = first == null ? Gate.of(8, minor, Target.SM_100A) : first.or(8, minor, Target.SM_100A);
        return data.or(8, 8, Target.SM_100F).or(9, 0, Target.SM_110A).or(9, 0, Target.SM_110F)
                .or(8, 7, Target.SM_120A).or(8, 8, Target.SM_120F);
    }
}
