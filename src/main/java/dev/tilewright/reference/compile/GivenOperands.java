package dev.tilewright.reference.compile;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Register;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.op.AddressOperand;
import dev.tilewright.reference.op.BarrierRef;
import dev.tilewright.reference.op.Site;
import dev.tilewright.reference.state.Slots;
import dev.tilewright.reference.state.TensorSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The operands of one instruction by their names, as places, barriers, numbers and slots, and the step that issues it.
 */
final class GivenOperands {
    private record Given(Operand operand, Input input) { }

    private final PlaceCompiler places;
    private final Slots slots;
    private final Site site;
    private final Map<String, Given> inputs = new LinkedHashMap<>();
    private final Map<String, Expr.Var> results = new LinkedHashMap<>();

    /** @param variables for the form's results; empty where none is wanted */
    GivenOperands(Operation.Instruction operation, List<Expr.Var> variables, Site site, PlaceCompiler places,
            Slots slots) {
        this.places = places;
        this.slots = slots;
        this.site = site;
        PtxInstruction form = operation.form();
        List<Operand> taken = form.inputs();
        for (int i = 0; i < taken.size(); i++) {
            inputs.put(taken.get(i).name(), new Given(taken.get(i), operation.inputs().get(i)));
        }
        List<Operand> given = form.results();
        for (int i = 0; i < variables.size(); i++) {
            results.put(given.get(i).name(), variables.get(i));
        }
    }

    Site site() {
        return site;
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

    /** The low and the high word of 128 bits. */
    List<IndexCode> wide(String name) {
        Input input = inputs.get(name).input;
        if (input instanceof Input.Wide(Expr low, Expr high)) {
            return List.of(places.number(Input.of(low)), places.number(Input.of(high)));
        }
        throw new Fault(Kind.NOT_MODELLED, "operand '" + name + "' is 128 bits, got " + input);
    }

    /** The slot of the first register of an operand that is several, for one thread. */
    IndexCode registers(String name) {
        if (inputs.get(name).input instanceof Input.Registers(Register register, Expr first)) {
            int slot = slots.of(register);
            IndexCode index = places.number(Input.of(first));
            return index instanceof IndexCode.Constant(long k) ? new IndexCode.Constant(slot + k)
                    : t -> slot + index.value(t);
        }
        throw new Fault(Kind.NOT_MODELLED, "operand '" + name + "' is registers, got " + inputs.get(name).input);
    }

    /** The register of an operand that is several, of which these may be a part. */
    Register register(String name) {
        if (inputs.get(name).input instanceof Input.Registers(Register register, Expr _)) {
            return register;
        }
        throw new Fault(Kind.NOT_MODELLED, "operand '" + name + "' is registers, got " + inputs.get(name).input);
    }

    /** The slot of its first element. */
    int firstSlot(String name) {
        return slots.of(register(name));
    }

    boolean has(String name) {
        return inputs.containsKey(name);
    }

    /** The numbers of all inputs whose name is this and a digit, in their order. */
    IndexCode[] numbers(String prefix) {
        return inputs.entrySet().stream().filter(e -> e.getKey().matches(prefix + "\\d"))
                .map(e -> places.number(e.getValue().input)).toArray(IndexCode[]::new);
    }

    /** Whether a load may leave the bytes behind an operand where they are. */
    boolean mayLend(String name) {
        return places.mayLend(inputs.get(name).input);
    }

    /** The tensor behind an operand that is a map. @param rank dimensions, for a map in memory */
    TensorSource tensor(String name, int rank, boolean stored) {
        Given g = inputs.get(name);
        return switch (g.input) {
            case Input.Map(MapSource map) -> places.tensor(map, stored, site);
            case Input.Place _, Input.Number _ -> places.tensorAt(place(name), rank, site);
            default -> throw new Fault(Kind.NOT_MODELLED,
                    "operand '" + name + "' is a tensor map, got " + g.input);
        };
    }

    /** The tensor behind the only operand, where the program gives a map and no mere address. */
    Optional<TensorSource> map() {
        return inputs.values().stream().findFirst().map(Given::input).filter(Input.Map.class::isInstance)
                .map(input -> places.tensor(((Input.Map) input).map(), false, site));
    }

    /** The slot of a result, which is defined from now on, or {@link Slots#NONE}. Take it after all inputs. */
    int result(String name) {
        Expr.Var variable = results.get(name);
        return variable == null ? Slots.NONE : slots.define(variable, 1);
    }
}
