package dev.tilewright.bench.rival;

import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What rivals answer, as rows of a suite: each beside cuMemcpy in the same turns; what has no answer is a row that
 * says why.
 */
public final class RivalRows {

    private final String suite;
    private final RivalProcess cpp;
    private final PythonRivals python;

    /** @param suite that the rows are of */
    public RivalRows(String suite, RivalProcess cpp, PythonRivals python) {
        this.suite = Objects.requireNonNull(suite, "suite");
        this.cpp = Objects.requireNonNull(cpp, "cpp");
        this.python = Objects.requireNonNull(python, "python");
    }

    /** A row that says why there is no C++ side; empty where there is one. */
    public Optional<Row> withoutCpp() {
        return without(Row.CPP, cpp::kernels);
    }

    /** A row that says why there is neither PyTorch nor Triton; empty where there is one of them. */
    public Optional<Row> withoutPython() {
        return without("PyTorch", python::works);
    }

    private Optional<Row> without(String side, Runnable question) {
        try {
            question.run();
            return Optional.empty();
        } catch (RivalException e) {
            return Optional.of(without(suite, side, Unit.GIGABYTES_PER_SECOND, e));
        }
    }

    /**
     * The C++ kernels of some mechanisms.
     *
     * @param subject that the rows are of
     * @param mechanisms as {@link RivalKernel#mechanism}
     * @param bytes of the array
     * @param each is given every row as soon as it is known
     */
    public void kernels(String subject, Set<String> mechanisms, long bytes, long seed, int turns, Consumer<Row> each) {
        Objects.requireNonNull(each, "each");
        try {
            for (RivalKernel kernel : cpp.kernels()) {
                if (mechanisms.contains(kernel.mechanism())) {
                    each.accept(kernel(subject, kernel, bytes, seed, turns));
                }
            }
        } catch (RivalException e) {
            each.accept(Row.notRun(suite, subject, Row.CPP, Unit.GIGABYTES_PER_SECOND, e.getMessage())
                    .with("size", bytes));
        }
    }

    /** One C++ kernel. */
    public Row kernel(String subject, RivalKernel kernel, long bytes, long seed, int turns) {
        Objects.requireNonNull(kernel, "kernel");
        String command = "kernel " + kernel.name() + " " + bytes + " " + (seed & 0x7FFFFFFF) + " " + turns;
        return row(subject, Row.CPP, Unit.GIGABYTES_PER_SECOND, () -> cpp.figures(command))
                .with(Row.MECHANISM, kernel.mechanism()).with("size", bytes).by("kernel", kernel.name())
                .by("schedule", kernel.parameters());
    }

    /**
     * Rows of PyTorch and Triton for a piece of work, as far as they can do it.
     *
     * @param shape see {@link PythonRivals#figures}
     */
    public List<Row> python(String subject, String work, String type, List<Long> shape, long seed, int turns) {
        Objects.requireNonNull(work, "work");
        boolean isRate = work.equals("product") || work.equals("attention");
        Unit unit = isRate ? Unit.TERAFLOPS : Unit.GIGABYTES_PER_SECOND;
        List<Row> rows = new ArrayList<>();
        try {
            for (PythonRivals.Work one : python.works()) {
                if (one.name().equals(work)) {
                    rows.add(row(subject, side(one), unit,
                            () -> python.figures(one, type, shape, seed & 0x7FFFFFFF, turns))
                            .with("shape", String.join("x", shape.stream().map(String::valueOf).toList()))
                            .with("type", type));
                }
            }
        } catch (RivalException e) {
            rows.add(without(subject, "PyTorch", unit, e));
        }
        return rows;
    }

    private static String side(PythonRivals.Work work) {
        return work.side().equals("torch") ? "PyTorch" : "Triton";
    }

    @FunctionalInterface
    private interface Question {
        List<RivalFigure> ask();
    }

    /** The figure of an answer that may have cuMemcpy's before it. */
    private Row row(String subject, String side, Unit unit, Question question) {
        try {
            List<RivalFigure> figures = question.ask();
            Optional<RivalFigure> memcpy = figures.stream().filter(f -> f.name().equals(Row.MEMCPY)).findFirst();
            RivalFigure own = figures.stream().filter(f -> !f.name().equals(Row.MEMCPY)).findFirst().orElseThrow(
                    () -> new RivalException(RivalException.Kind.FAILED, "the answer has no figure"));
            Row row = row(subject, side, unit, own);
            return memcpy.isPresent() ? row.beside(Row.MEMCPY, memcpy.get().spread().median(), null) : row;
        } catch (RivalException e) {
            return without(subject, side, unit, e);
        }
    }

    private Row row(String subject, String side, Unit unit, RivalFigure figure) {
        if (!figure.unit().equals(unit.toString())) {
            return Row.notRun(suite, subject, side, unit, "it answers in " + figure.unit() + " and not in " + unit);
        }
        Row row = Row.of(suite, subject, side, unit, figure.spread(),
                figure.verified() ? Verdict.VERIFIED : Verdict.NO_OUTPUT);
        return unit == Unit.TERAFLOPS ? row.computing(figure.amount()) : row.moving(Math.round(figure.amount()));
    }

    /** Wrong bytes are of no time: the row says that nothing was measured, and why. */
    private Row without(String subject, String side, Unit unit, RivalException e) {
        return Row.notRun(suite, subject, side, unit, e.getMessage());
    }

    /**
     * The C++ mechanisms that do what one of ours does, in the same way.
     *
     * @param mechanism one of the builders', or a copy of which a speed is demanded
     * @return empty where there is none
     */
    public static Set<String> mechanismsBeside(String mechanism) {
        return switch (Objects.requireNonNull(mechanism, "mechanism")) {
            case "vector-copy" -> Set.of("vector");
            case "cp-async-pipeline" -> Set.of("async");
            case "cp-async-stages" -> Set.of("async-pipeline", "libcu-thread", "libcu-block");
            case "cp-async-4" -> Set.of("async-4", "async-4-pipeline");
            case "warp-specialised" -> Set.of("scale-warps");
            case "bulk-copy", "bulk-pipeline" -> Set.of("bulk", "bulk-pipeline", "libcu-barrier");
            case "tensor-copy" -> Set.of("tensor", "tensor-pipeline");
            case "tensor-copy-ragged" -> Set.of("tensor-ragged");
            case "tensor-copy-3d" -> Set.of("tensor-3d");
            case "tensor-copy-4d" -> Set.of("tensor-4d");
            case "tensor-copy-5d" -> Set.of("tensor-5d");
            case "tensor-rebind" -> Set.of("tensor-rebind");
            default -> Set.of();
        };
    }
}
