package dev.tilewright.reference;

import dev.tilewright.program.Address;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Input;
import dev.tilewright.program.MapSource;
import dev.tilewright.program.Operation;
import dev.tilewright.ptx.Operand;
import dev.tilewright.reference.ReferenceException.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The operands of one performed instruction by their names, as places, barriers, numbers and slots. */
final class Operands {
    private record Given(Operand operand, Input input) {
    }

    private final PlaceCompiler places;
    private final Slots slots;
    private final Map<String, Given> inputs = new LinkedHashMap<>();
    private final Map<String, Expr.Var> results = new LinkedHashMap<>();

    Operands(Operation.Perform p, PlaceCompiler places, Slots slots) {
        this.places = places;
        this.slots = slots;
        int input = 0;
        int result = 0;
        for (Operand o : p.form().operands()) {
            if (o.kind().isOutput()) {
                results.put(o.name(), p.results().get(result++));
            } else {
                inputs.put(o.name(), new Given(o, p.inputs().get(input++)));
            }
        }
    }

    AddressOperand place(String name) {
        Given g = inputs.get(name);
        return places.any(g.operand, g.input);
    }

    /** @param own whether it must be in the block's own shared memory */
    BarrierRef barrier(boolean own) {
        Given g = inputs.get("mbar");
        return places.barrier(g.operand, g.input, own);
    }

    IndexCode number(String name) {
        return places.number(inputs.get(name).input);
    }

    boolean has(String name) {
        return inputs.containsKey(name);
    }

    /** The numbers of all inputs whose name is this and a digit, in their order. */
    IndexCode[] numbers(String prefix) {
        return inputs.entrySet().stream().filter(e -> e.getKey().matches(prefix + "\\d"))
                .map(e -> places.number(e.getValue().input)).toArray(IndexCode[]::new);
    }

    /** The tensor behind the operand {@code map}. @param rank dimensions, for a map in memory */
    TensorSource tensor(int rank, boolean stored) {
        Input input = inputs.get("map").input;
        return places.tensor(switch (input) {
            case Input.Map(MapSource map) -> map;
            case Input.Place(Address.Global at) -> new MapSource.InMemory(at, rank);
            default -> throw new Fault(Kind.NOT_MODELLED, "the reference goes through tensor maps that are parameters or lie in "
                    + "global memory by name, got " + input);
        }, stored);
    }

    /** The place of an operand that the program must give by name in shared memory. */
    SharedPlace namedShared(String name) {
        if (inputs.get(name).input instanceof Input.Place(Address.Shared at)) {
            return places.place(at);
        }
        throw new Fault(Kind.NOT_MODELLED, "the reference takes operand '" + name + "' here as a named place in shared memory, got "
                + inputs.get(name).input);
    }

    /** The place of an operand that the program must give by name in global memory. */
    GlobalPlace namedGlobal(String name) {
        if (inputs.get(name).input instanceof Input.Place(Address.Global at)) {
            return places.place(at);
        }
        throw new Fault(Kind.NOT_MODELLED, "the reference takes operand '" + name + "' here as a named place in global memory, got "
                + inputs.get(name).input);
    }

    /** The slot of a result, which is defined from now on. Take it after all inputs. */
    int result(String name) {
        return slots.define(results.get(name).name(), 1);
    }

    /** The slots of all results in their order; see {@link #result}. */
    int[] results() {
        return List.copyOf(results.keySet()).stream().mapToInt(this::result).toArray();
    }
}
