package dev.tilewright.ptx;

/**
 * {@code mbarrier.pending_count}: the arrivals that were still missing when a token was handed out.
 */
public record MbarrierPendingCount() implements PtxInstruction {
    private static final String SECTION = "mbarrier.pending_count";

    @Override
    public Form form() {
        return FormBuilder.form("mbarrier.pending_count.b64")
                .operand(Operand.of("count", Operand.Kind.U32_OUT)).operand(Operand.of("token", Operand.Kind.TOKEN))
                .needs(Gates.AMPERE, Effects.NONE);
    }

    @Override
    public String summary() {
        return "the arrivals that were still missing when a token was handed out";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
