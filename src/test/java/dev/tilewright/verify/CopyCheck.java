package dev.tilewright.verify;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Copies on a device: one, or the same array through several grids. */
public final class CopyCheck {

    private CopyCheck() {
    }

    /**
     * What is wrong with the device's result, in one sentence, or nothing.
     *
     * @throws RuntimeException what the device threw
     */
    public static Optional<String> run(CaseDevice device, CopyCase copyCase) {
        return CaseCheck.run(device, copyCase);
    }

    /**
     * What is wrong with the device's results of cases that differ in their grids alone: what is computed is computed
     * once, directly and by the reference with one of the grids, and the device's result with each grid is compared
     * with it.
     *
     * @param referred the number of the case whose launch the reference runs; empty for none
     */
    public static Optional<String> run(CaseDevice device, List<CopyCase> grids, OptionalInt referred) {
        CopyCase first = grids.get(referred.orElse(0));
        CaseWork work = first.work();
        try (CaseDevice.Ready _ = device.load(work.launch().program()); CaseCheck check = new CaseCheck(work)) {
            check.compute();
            if (referred.isPresent() && !device.definesResults()) {
                check.refer();
            }
            for (CopyCase grid : grids) {
                if (!grid.equals(first.withTilesPerBlock(grid.tilesPerBlock()))) {
                    throw new IllegalArgumentException("the cases differ in more than their grids: " + first + ", "
                            + grid);
                }
                check.launch(device, grid.work());
                Optional<String> complaint = check.complaint();
                if (complaint.isPresent()) {
                    return complaint.map(c -> grid + ": " + c);
                }
            }
        }
        return Optional.empty();
    }
}
