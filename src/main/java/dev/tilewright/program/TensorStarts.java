package dev.tilewright.program;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The constant first coordinates of a program's tensor copies. Together with the map that a launch brings they say
 * whether a copy starts at a multiple of 16 bytes; one that does not is an illegal instruction on hardware, which
 * ends the context (measured: {@code native-tests/unaligned-starts}). With interleave dimension 0 counts slices, and
 * any will do.
 *
 * @param byMap by the name of the map's parameter
 */
public record TensorStarts(Map<String, List<Start>> byMap) {
    /** No copies at all. */
    public static final TensorStarts NONE = new TensorStarts(Map.of());
    private static final int CHUNK = 16;

    /**
     * The start of a copy.
     *
     * @param coordinate along dimension 0, in elements
     * @param step of the program, in words
     */
    public record Start(long coordinate, String step) {
        public Start {
            Objects.requireNonNull(step, "step");
        }
    }

    public TensorStarts {
        byMap = Map.copyOf(NotNull.entries("byMap", byMap));
    }

    /** The starts of a program's tensor copies. */
    public static TensorStarts of(TileProgram program) {
        Objects.requireNonNull(program, "program");
        if (program.parameters().stream().noneMatch(Parameter.TensorMap.class::isInstance)) {
            return NONE;
        }
        Map<String, List<Start>> found = new TreeMap<>();
        for (Step step : new StepNumbers(program).all()) {
            if (step.operation() instanceof Operation.Issue issue && isCopy(issue.form())
                    && issue.input("map") instanceof Input.Map(Parameter.TensorMap map)
                    && first(issue) instanceof Input.Number(Expr coordinate) && coordinate.constant().isPresent()) {
                found.computeIfAbsent(map.name(), _ -> new ArrayList<>()).add(new Start(
                        coordinate.constant().getAsLong(), step.purpose()
                                + step.javaLine().map(line -> ", added at " + line).orElse("")));
            }
        }
        return new TensorStarts(found);
    }

    private static boolean isCopy(PtxInstruction form) {
        return form instanceof TensorLoad || form instanceof TensorStore || form instanceof TensorReduce;
    }

    private static Input first(Operation.Issue issue) {
        Operand first = issue.form().inputs().stream().filter(o -> o.kind() == Operand.Kind.COORDINATE).findFirst()
                .orElseThrow();
        return issue.input(first.name());
    }

    /**
     * Refuses a map through which a copy would start where none can.
     *
     * @param parameter the name of the map's parameter
     * @throws IllegalArgumentException with the coordinate, its bytes, and the step
     */
    public void require(String parameter, TensorMap map) {
        NotNull.all("parameter, map", parameter, map);
        List<Start> starts = byMap.getOrDefault(parameter, List.of());
        if (starts.isEmpty() || interleave(map) != Interleave.NONE) {
            return;
        }
        int size = map.type().bytes();
        for (Start start : starts) {
            long bytes = start.coordinate() * size;
            if (bytes % CHUNK != 0) {
                throw new IllegalArgumentException("tensor map '" + parameter + "': coordinate 0 of a copy is "
                        + start.coordinate()
                        + ", which is " + bytes + " bytes for elements of " + Counted.of(size, "byte")
                        + ": it must be a multiple of " + CHUNK + " bytes, or the hardware faults with "
                        + "ILLEGAL_INSTRUCTION; "
                        + "start at a multiple of " + CHUNK / size + " elements (step: " + start.step() + ")");
            }
        }
    }

    private static Interleave interleave(TensorMap map) {
        return switch (map) {
            case TiledTensorMap m -> m.interleave();
            case Im2colTensorMap m -> m.interleave();
            case Im2colWideTensorMap m -> m.interleave();
        };
    }
}
