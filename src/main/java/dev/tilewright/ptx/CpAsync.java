package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code cp.async}: one thread copies a few bytes from global to shared memory, asynchronously.
 *
 * @param cache which caches keep the line: L1 and L2, or L2 alone (16 bytes only)
 * @param bytes bytes written to shared memory: 4, 8 or 16; both addresses are multiples of it
 * @param sizedSource whether the instruction also takes the number of bytes to read; the rest are zeros
 */
public record CpAsync(Cache cache, int bytes, boolean sizedSource) implements PtxInstruction {

    /** Cache operator: {@code CA} caches at all levels, {@code CG} at L2 only. */
    public enum Cache { CA, CG }

    public CpAsync {
        if (bytes != 4 && bytes != 8 && bytes != 16) {
            throw new IllegalArgumentException("cp.async copies 4, 8 or 16 bytes, got " + bytes);
        }
        if (cache == Cache.CG && bytes != 16) {
            throw new IllegalArgumentException("cp.async.cg copies 16 bytes, got " + bytes);
        }
    }

    /** The form that is best for streaming: past L1 where the instruction allows it. */
    public static CpAsync streaming(int bytes, boolean sizedSource) {
        return new CpAsync(bytes == 16 ? Cache.CG : Cache.CA, bytes, sizedSource);
    }

    @Override
    public String opcode() {
        return "cp.async." + cache.name().toLowerCase(java.util.Locale.ROOT) + ".shared.global";
    }

    @Override
    public List<Operand> operands() {
        return sizedSource
                ? List.of(Ptx.SHARED_DST, Ptx.GLOBAL_SRC, Operand.of("src_bytes", Operand.Kind.U32))
                : List.of(Ptx.SHARED_DST, Ptx.GLOBAL_SRC);
    }

    @Override
    public String operandText() {
        return "[%dst%], [%src%], " + bytes + (sizedSource ? ", %src_bytes%" : "");
    }

    @Override
    public PtxVersion since() {
        return Ptx.V7_0;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_80;
    }

    @Override
    public String summary() {
        return "one thread copies a few bytes from global to shared memory, asynchronously";
    }

    @Override
    public String functionName() {
        return "cp_async_" + bytes + (cache == Cache.CA ? "_ca" : "") + (sizedSource ? "_zero_fill" : "");
    }
}
