package dev.tilewright.cli.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.verify.worker.WorkerCommand;
import dev.tilewright.verify.worker.WorkerOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeSet;

/**
 * Which worker processes a run has.
 *
 * @param all one after the other
 */
record VerifyWorkers(List<WorkerOptions> all) {
    /** Compiling happens in other processes, and a thread that waits for one needs no processor. */
    private static final int THREADS_PER_PROCESSOR = 2;
    private static final int PROCESSORS_OF_A_WORKER = 4;
    private static final int MOST_OF_THE_REFERENCE = 4;
    private static final int MOST_ON_A_GPU = 4;
    private static final int MOST = 256;

    /**
     * On GPUs, the same number on each.
     *
     * @param gpus their ordinals
     * @param each how many; 0 for as many as are of use: compiling and comparing keep four processors of one busy
     */
    static VerifyWorkers onGpus(List<Integer> gpus, int each, int processors) {
        int wanted = each > 0 ? each
                : Math.clamp(processors / gpus.size() / PROCESSORS_OF_A_WORKER, 1, MOST_ON_A_GPU);
        int threads = Math.max(2, THREADS_PER_PROCESSOR * processors / (wanted * gpus.size()));
        List<WorkerOptions> all = new ArrayList<>();
        for (int gpu : gpus) {
            all.addAll(Collections.nCopies(wanted, new WorkerOptions(OptionalInt.of(gpu), 1, threads)));
        }
        return new VerifyWorkers(all);
    }

    /** With the reference in a GPU's place. @param workers how many; 0 for as many as are of use */
    static VerifyWorkers ofTheReference(int workers, int processors) {
        int wanted = workers > 0 ? workers
                : Math.clamp(processors / PROCESSORS_OF_A_WORKER, 1, MOST_OF_THE_REFERENCE);
        int devices = Math.ceilDiv(processors, wanted);
        return new VerifyWorkers(Collections.nCopies(wanted,
                new WorkerOptions(OptionalInt.empty(), devices, THREADS_PER_PROCESSOR * devices)));
    }

    /** Refuses a number of workers that makes no sense. */
    static void requireCount(int workers) {
        if (workers < 1 || workers > MOST) {
            throw new BadRequestException("--workers must be from 1 to " + MOST + ", got " + workers);
        }
    }

    /** Refuses a text that names no GPUs, whether they are there or not. */
    static void requireGpus(String text) {
        if (!text.matches("all|\\d{1,4}(,\\d{1,4})*")) {
            throw new BadRequestException("--gpus takes all, or numbers such as 0,1, got '" + text + "'");
        }
    }

    /**
     * The ordinals that a text names: {@code all}, or such as {@code 0,1}.
     *
     * @throws BadRequestException if it names none
     * @throws dev.tilewright.MissingRequirementException if one is not there
     */
    static List<Integer> gpus(String text, Devices devices) {
        requireGpus(text);
        if (text.equals("all")) {
            return devices.list().stream().map(device -> device.ordinal()).toList();
        }
        List<Integer> ordinals =
                List.copyOf(new TreeSet<>(Arrays.stream(text.split(",")).map(Integer::valueOf).toList()));
        ordinals.forEach(devices::require);
        return ordinals;
    }

    /** What starts each. */
    List<ProcessBuilder> commands() {
        return all.stream().map(worker -> WorkerCommand.of(worker, all.size())).toList();
    }

    /** How many groups of cases each has at once: no thread of it waits for this process. */
    int groupsAtOnce() {
        return all.getFirst().threads() * 3 / 2 + 1;
    }
}
