package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.Effects.Mode;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.Getctarank;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.copy.GroupCommit;
import dev.tilewright.ptx.fence.FenceInstruction;
import dev.tilewright.ptx.mbarrier.ArriveOp;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierArriveNoComplete;
import dev.tilewright.ptx.mbarrier.MbarrierCompleteTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.mbarrier.MbarrierTestWait;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierTryWait;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.ptx.tensormap.TensormapCpFenceproxy;
import dev.tilewright.ptx.warp.BarWarpSync;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import dev.tilewright.ptx.warp.ElectSync;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatchSync;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.ShflSync;
import dev.tilewright.ptx.warp.Stmatrix;
import dev.tilewright.ptx.warp.VoteSync;
import dev.tilewright.reference.RecordedEvents.Touched;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.observe.ExecutionObserver.AccessKind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * Every form that the reference runs is seen to do what its record declares, and nothing else: each byte, by memory,
 * mode, proxy, completion and order; arrivals, counts and tests at an mbarrier; groups, fences and the cluster's
 * barrier.
 *
 * <p>Reads of tensor maps (proxy {@code TENSORMAP}) are not looked at here: parameters are not reported, and maps in
 * memory have tests of their own ({@code MapChangesTest}).
 */
class ObservedEffectsTest {

    @Test
    void everyFormIsSeenToDoWhatItsRecordDeclares() {
        Map<String, String> wrong = new LinkedHashMap<>();
        Set<String> notRun = new TreeSet<>();
        int run = 0;
        Predicate<Object> share = Thorough.share(12);
        for (PtxInstruction form : (Iterable<PtxInstruction>) Catalogue.forms()::iterator) {
            // Of the instructions that the reference does not run every form is tried.
            if (!(form instanceof Cvta || form instanceof Getctarank || form instanceof Mapa)
                    && !share.test(form) || form.emitOnly() || form.evidence() == Evidence.INEXACT
                    || form instanceof Wgmma f && !isOneOfItsKind(f.n())) {
                continue;
            }
            for (FormKernel kernel : kernels(form)) {
                try {
                    RecordedEvents seen = kernel.run();
                    run++;
                    if (!touched(form, kernel).equals(seen.touched())) {
                        wrong.put(title(kernel, form), "touches " + seen.touched() + ", declares "
                                + touched(form, kernel));
                    } else if (!others(form, kernel).equals(seen.others())) {
                        wrong.put(title(kernel, form), "does " + seen.others() + ", declares " + others(form, kernel));
                    }
                } catch (ReferenceException e) {
                    if (e.kind() == Kind.NOT_MODELLED) {
                        notRun.add(form.opcode());
                    } else {
                        wrong.put(title(kernel, form), e.getMessage());
                    }
                } catch (IllegalArgumentException e) {
                    wrong.put(title(kernel, form), e.toString());
                }
            }
        }
        assertEquals("",
                String.join("\n", wrong.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).limit(20)
                .toList()), () -> wrong.size() + " wrong");
        assertEquals(Set.of("cvta.const.u64", "cvta.local.u64", "cvta.param.u64", "cvta.param::entry.u64",
                "cvta.to.const.u64", "cvta.to.local.u64", "cvta.to.param.u64", "cvta.to.param::entry.u64",
                "getctarank.u32", "mapa.u32"), notRun);
        assertTrue(run > Thorough.of(400, 5000), "kernels run: " + run);
    }

    /** Products of a warpgroup come in 32 widths, of which these stand for the others. */
    private static boolean isOneOfItsKind(int n) {
        return n == 8 || n == 24 || n == 256;
    }

    private static String title(FormKernel kernel, PtxInstruction form) {
        return form.opcode() + " " + form.listing() + (kernel.isPolled() ? " (polled)" : "");
    }

    private static List<FormKernel> kernels(PtxInstruction form) {
        List<FormKernel> kernels = new ArrayList<>();
        for (boolean polled : FormKernel.canBePolled(form) ? new boolean[] {false, true} : new boolean[] {false}) {
            kernels.add(new FormKernel(form, false, polled));
            if (FormKernel.hasGeneric(form)) {
                kernels.add(new FormKernel(form, true, polled));
            }
        }
        return kernels;
    }

    // ---- what a record declares of bytes

    private static Map<Touched, BitSet> touched(PtxInstruction form, FormKernel kernel) {
        Map<Touched, BitSet> touched = new HashMap<>();
        for (Effects.Access access : form.effects().accesses()) {
            if (access.proxy() == Proxy.TENSORMAP || access.operand().equals("mbar")) {
                continue;
            }
            AccessKind kind = new AccessKind(access.mode() != Mode.WRITE, access.mode() != Mode.READ,
                    order(form, access), kernel.isPolled(), access.proxy(), form.effects().completion());
            Operand operand = kernel.operand(access.operand());
            if (access.extent() instanceof Effects.Extent.Matrix) {
                touch(touched, "shared 0", kind, FormKernel.BUFFER_START, kernel.matrixBytes(access));
            } else if (access.operand().equals("map") && access.extent() instanceof Effects.Extent.Box) {
                int[] box = kernel.boxInTensor();
                touch(touched, "map", kind, box[0], box[1] - box[0]);
            } else if (kernel.isShared(operand)) {
                for (int owner : kernel.owners(operand)) {
                    touch(touched, "shared " + owner, kind, FormKernel.BUFFER_START + kernel.offset(operand),
                            kernel.bytes(access.extent()) * rows(form));
                }
            } else {
                touch(touched, "out", kind, kernel.offset(operand), kernel.bytes(access.extent()));
            }
        }
        return touched;
    }

    private static void touch(Map<Touched, BitSet> touched, String memory, AccessKind kind, int start, int bytes) {
        touched.computeIfAbsent(new Touched(memory, kind), _ -> new BitSet()).set(start, start + bytes);
    }

    /** Rows that a warp touches together, 8 for each matrix. */
    private static int rows(PtxInstruction form) {
        return switch (form) {
            case Ldmatrix f -> 8 * f.registers();
            case Stmatrix f -> 8 * f.registers();
            default -> 1;
        };
    }

    /**
     * Of an access with a scope, and of what a reduction updates; a reduction's source is read weakly (PTX ISA,
     * "cp.reduce").
     */
    private static Effects.Order order(PtxInstruction form, Effects.Access access) {
        return form instanceof ScopedAccess || access.mode() == Mode.UPDATE ? form.effects().order().orElse(null)
                : null;
    }

    // ---- and of everything else

    private static List<String> others(PtxInstruction form, FormKernel kernel) {
        List<String> all = new ArrayList<>();
        Effects effects = form.effects();
        if (form.opcode().contains(".aligned")) {
            // First of all the whole warp comes together; what the other warps of a warpgroup do is the same.
            all.add("lanes ffffffff come together");
        }
        if (kernel.countsOnBarrier()) {
            for (int owner : kernel.owners(kernel.operand(kernel.destination()))) {
                all.add("copy counts " + kernel.counted() + " bytes on " + owner + ":0, mask "
                        + (kernel.owners(kernel.operand(kernel.destination())).size() > 1 ? FormKernel.MASK : 0));
            }
        } else if (kernel.isOfGroup()) {
            all.add("bulk group copy");
        } else if (effects.accesses().stream().anyMatch(a -> a.operand().equals("mbar"))) {
            all.addAll(atBarrier(form, kernel, effects.order().orElse(null)));
        }
        effects.waitsFor().ifPresent(wait -> all.addAll(switch (wait) {
            case CP_ASYNC_GROUPS -> form instanceof CpAsyncWaitGroup f ? List.of("cp.async wait " + f.pending())
                    : List.of("cp.async commit", "cp.async wait 0");
            case BULK_GROUPS -> List.of("bulk wait " + ((BulkWaitGroup) form).pending());
            case BULK_GROUPS_READ -> List.of("bulk wait " + ((BulkWaitGroup) form).pending() + ", read");
            case CLUSTER_BARRIER -> List.of("cluster wait");
            case WGMMA_GROUPS -> List.of("wgmma wait " + ((WgmmaWaitGroup) form).pending());
            case EARLIER_KERNELS -> List.of("waits for the grid before");
        }));
        if (form instanceof FenceInstruction || effects.fence().isPresent()
                && !(form instanceof TensormapCpFenceproxy)) {
            all.add("fence " + form.opcode());
        }
        switch (form) {
            case GroupCommit f -> all.add(switch (f) {
                case CpAsyncCommitGroup _ -> "cp.async commit";
                case BulkCommitGroup _ -> "bulk commit";
            });
            // All lanes come; what orders memory accesses says so.
            case BarWarpSync _, ShflSync _, VoteSync _, MatchSync _, ReduxSync _, ElectSync _ ->
                    all.add("lanes ffffffff " + (effects.order().isPresent() ? "meet" : "come together"));
            case BarrierCtaArrive _, BarrierCtaSync _, BarrierCtaRed _ -> {
                boolean waits = effects.order().orElseThrow().semantics() == Semantics.ACQ_REL;
                all.addAll(List.of("lanes ffffffff " + (waits ? "wait" : "arrive") + " at barrier 0",
                        "barrier 0 opens for " + (waits ? 32 : 0)));
            }
            case Wgmma _ -> all.add("wgmma");
            case WgmmaFence _ -> all.add("wgmma fence");
            case WgmmaCommitGroup _ -> all.add("wgmma commit");
            case BarrierClusterArrive _ -> all.add("cluster arrive, release "
                    + (effects.order().orElseThrow().semantics() != Semantics.RELAXED));
            // The warp meets, and does it together; then others may follow.
            case TensormapCpFenceproxy _ ->
                    all.addAll(List.of("warp 0 to 31", "fence " + form.opcode(), "warp 0 to 31"));
            default -> { }
        }
        return all;
    }

    private static List<String> atBarrier(PtxInstruction form, FormKernel kernel, Effects.Order order) {
        Operand mbar = kernel.operand("mbar");
        String at = kernel.owners(mbar).getFirst() + ":" + 8 * kernel.barrier();
        int count = kernel.has("count") ? FormKernel.COUNT : 1;
        return switch (form) {
            case MbarrierInit _ -> List.of("init " + at + " for 1");
            case MbarrierInval _ -> List.of("inval " + at);
            case MbarrierArrive f -> List.of(arrive(at, order, count, f.kind()));
            case MbarrierArriveNoComplete f -> List.of(arrive(at, order, count, f.kind()));
            case MbarrierArriveExpectTx f -> List.of("expect " + at + ", " + FormKernel.BYTES + " bytes",
                    arrive(at, order, 1, f.kind()));
            case MbarrierExpectTx _ -> List.of("expect " + at + ", " + FormKernel.BYTES + " bytes, alone");
            case MbarrierCompleteTx _ -> List.of("complete " + at + ", " + FormKernel.BYTES + " bytes");
            case CpAsyncMbarrierArrive f -> List.of("cp.async arrive " + at + (f.noinc() ? "" : ", added"));
            case MbarrierTestWait _, MbarrierTryWait _ -> List.of("token of " + at + ", " + order);
            case MbarrierTestWaitParity _, MbarrierTryWaitParity _ -> List.of("parity 0 of " + at + ", " + order);
            default -> List.of("an event at " + at);
        };
    }

    private static String arrive(String at, Effects.Order order, int count, ArriveOp kind) {
        return "arrive " + at + ", " + order + ", count " + count + (kind == ArriveOp.ARRIVE_DROP ? ", drop" : "");
    }
}
