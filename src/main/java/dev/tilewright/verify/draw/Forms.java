package dev.tilewright.verify.draw;

import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.Getctarank;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.memory.AddressSpace;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.Isspacep;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.Movmatrix;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.tensormap.TensormapCpFenceproxy;
import dev.tilewright.ptx.warp.Setmaxnreg;
import dev.tilewright.ptx.warp.WarpInstruction;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The forms of the catalogue that drawn programs hold, and why others are not among them. */
public final class Forms {
    private static final Set<AddressSpace> OF_ADDRESSES = EnumSet.of(AddressSpace.GLOBAL, AddressSpace.SHARED,
            AddressSpace.SHARED_CTA, AddressSpace.SHARED_CLUSTER);
    /** The instructions that a drawn program may hold: all but the products. */
    static final List<PtxInstruction> INSTRUCTIONS = Catalogue.forms()
            .filter(f -> whyNot(f).isEmpty() && !isProduct(f)).toList();
    static final List<MmaInstruction> PRODUCTS = Catalogue.forms().filter(f -> whyNot(f).isEmpty() && isProduct(f))
            .map(MmaInstruction.class::cast).toList();

    private Forms() { }

    /** Why no drawn program holds a form; empty where programs do. */
    public static Optional<String> whyNot(PtxInstruction form) {
        if (form.emitOnly()) {
            return Optional.of("the reference does not run it");
        }
        if (form.evidence() == Evidence.INEXACT) {
            return Optional.of("its results differ between GPUs");
        }
        if (!form.gate().admits(Target.SM_90A)) {
            return Optional.of("no GPU that has it was at hand");
        }
        if (form.inputs().stream().anyMatch(o -> o.kind() == Operand.Kind.SPACE_ADDRESS)
                || form instanceof Cvta c && !OF_ADDRESSES.contains(c.space())) {
            return Optional.of("a program has no address in local, constant or parameter memory");
        }
        if (form instanceof Getctarank g && !g.shared() && !g.wide() || form instanceof Mapa m && !m.shared()
                && !m.wide()) {
            return Optional.of("generic addresses have 64 bits");
        }
        return Optional.empty();
    }

    static boolean isProduct(PtxInstruction form) {
        return form instanceof MmaSync || form instanceof Wgmma;
    }

    /** Whether blocks must be in clusters for it, or its operands can only be made where they are. */
    static boolean isOfHopper(PtxInstruction form) {
        return form.minimumTarget().major() >= 9 || form instanceof Isspacep i && i.space()
                == AddressSpace.SHARED_CLUSTER;
    }

    static boolean countsOnBarrier(PtxInstruction form) {
        return form.effects().completion() == Completion.MBARRIER;
    }

    static boolean isOfCluster(PtxInstruction form) {
        return form instanceof BarrierClusterArrive || form instanceof BarrierClusterWait;
    }

    /** Whether all threads perform it, each at places of its own. */
    static boolean isOfEachThread(PtxInstruction form) {
        return form instanceof ScopedAccess || form instanceof CpAsync || form instanceof RedAsync
                || form instanceof StAsync;
    }

    /** Whether all threads of warps perform it together. */
    static boolean isOfWarps(PtxInstruction form) {
        return form instanceof WarpInstruction || form instanceof Movmatrix || isOfWarpgroup(form);
    }

    /** Whether a single warp performs it. */
    static boolean isOfOneWarp(PtxInstruction form) {
        return form instanceof TensormapCpFenceproxy;
    }

    static boolean isOfWarpgroup(PtxInstruction form) {
        return form instanceof MmaInstruction && !(form instanceof MmaSync || form instanceof Movmatrix);
    }

    static boolean changesRegisters(PtxInstruction form) {
        return form instanceof Setmaxnreg;
    }
}
