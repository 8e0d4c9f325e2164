package dev.tilewright.program;

import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The values and index expressions that an operation is made of, but for those of the steps within it. */
public final class ValuesOf {

    private ValuesOf() {
    }

    /** Every value of an operation, an index expression as what it is worth. */
    public static Stream<Value> operation(Operation operation) {
        Objects.requireNonNull(operation, "operation");
        return switch (operation) {
            case Operation.Let l -> of(l.value());
            case Operation.Loop l -> of(l.from(), l.until(), l.by());
            case Operation.While w -> of(w.condition());
            case Operation.Guard g -> of(g.condition());
            case Operation.Call c -> c.arguments().stream().map(Value.Index::new);
            case Operation.Break _, Operation.SyncThreads _ -> Stream.empty();
            case Operation.Declare d -> d.initial().stream();
            case Operation.Assign a -> Stream.concat(of(a.index()), Stream.of(a.value()));
            case Operation.Load l -> address(l.from());
            case Operation.Store s -> address(s.to());
            case Operation.LoadValues l -> Stream.concat(of(l.first()), address(l.from()));
            case Operation.StoreValues s -> Stream.concat(address(s.to()), s.values().stream());
            case Operation.Issue i -> i.inputs().stream().flatMap(ValuesOf::input);
            case Operation.Poll p -> Stream.concat(p.inputs().stream().flatMap(ValuesOf::input),
                    p.until() instanceof Operation.Until.Holds h ? of(h.condition()) : Stream.empty());
        };
    }

    /** The register elements that an operation itself writes. */
    public static List<Register> written(Operation operation) {
        Objects.requireNonNull(operation, "operation");
        return switch (operation) {
            case Operation.Declare d -> List.of(d.register());
            case Operation.Assign a -> List.of(a.register());
            case Operation.LoadValues l -> List.of(l.register());
            default -> List.of();
        };
    }

    private static Stream<Value> of(Expr... expressions) {
        return Stream.of(expressions).map(Value.Index::new);
    }

    private static Stream<Value> input(Input input) {
        return switch (input) {
            case Input.Place(Address address) -> address(address);
            case Input.Map(MapSource.InMemory m) -> address(m.at());
            case Input.Map _ -> Stream.empty();
            case Input.Number(Expr value) -> of(value);
            case Input.Wide(Expr low, Expr high) -> of(low, high);
            case Input.Registers(Register _, Expr first) -> of(first);
        };
    }

    private static Stream<Value> address(Address address) {
        return address.numbers().stream().map(Value.Index::new);
    }
}
