package dev.tilewright.ptx;

/**
 * {@code cp.async.commit_group}: closes the thread's open group of cp.async copies.
 */
public record CpAsyncCommitGroup() implements PtxInstruction {
    private static final String SECTION = "cp.async.commit_group";

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.commit_group").needs(Gates.AMPERE, Effects.NONE);
    }

    @Override
    public String summary() {
        return "closes the group of this thread's cp.async copies issued so far";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
