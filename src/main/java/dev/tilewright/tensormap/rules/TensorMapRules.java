package dev.tilewright.tensormap.rules;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every rule about a tensor map's description, in the order in which they are reported. Rules about the instructions
 * that use a map (coordinates, offsets, shared addresses) belong to the program, and are not here.
 *
 * <p>For sm_90 the errors say exactly what the driver refuses: they agree with every recorded call
 * (native-tests/recordings), and with an H200's driver on 150,000 random and extreme ones. For later targets they are
 * what cuda.h and the PTX ISA say, and were not measured.
 */
public final class TensorMapRules {

    private static final List<Rule> ALL = Stream.of(
                    TargetRules.RULES, EnumRules.RULES, RankRules.RULES, AddressRules.RULES, DimRules.RULES,
                    StrideRules.RULES, BoxRules.RULES, Im2colRules.RULES, SwizzleRules.RULES, WarningRules.RULES)
            .flatMap(List::stream)
            .toList();

    private static final Map<String, Rule> BY_ID =
            ALL.stream().collect(Collectors.toUnmodifiableMap(Rule::id, Function.identity()));

    private TensorMapRules() { }

    /** Every place where a call's arguments break a rule of a target, in the rules' order. Never throws. */
    public static List<Violation> violations(EncodeCall call, Target target) {
        NotNull.all("call, target", call, target);
        List<Violation> found = new ArrayList<>();
        for (Rule rule : ALL) {
            if (rule.targets().includes(target)) {
                rule.check().run(call, target, new Findings(rule, found));
            }
        }
        return found;
    }

    /** Every rule. */
    public static List<Rule> all() {
        return ALL;
    }

    /** @throws IllegalArgumentException if no rule has this id */
    public static Rule byId(String id) {
        Objects.requireNonNull(id, "id");
        Rule rule = BY_ID.get(id);
        if (rule == null) {
            throw new IllegalArgumentException("no tensor map rule is called '" + id + "'");
        }
        return rule;
    }
}
