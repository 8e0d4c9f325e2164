package dev.tilewright.bench.rival;

import dev.tilewright.NotNull;
import dev.tilewright.bench.result.Spread;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * One figure that a rival has answered.
 *
 * @param name of what was measured
 * @param unit its symbol
 * @param spread the samples, in that unit
 * @param amount bytes or operations of one piece of work; 0 where it does not say
 * @param verified whether it has compared every byte or element of its output
 * @param facts everything else that it says in one word or number, by name
 */
public record RivalFigure(String name, String unit, Spread spread, double amount, boolean verified,
        Map<String, String> facts) {

    public RivalFigure {
        NotNull.all("name, unit, spread", name, unit, spread);
        facts = Map.copyOf(new TreeMap<>(facts));
    }

    /** One of its facts; empty where it does not say. */
    public String fact(String key) {
        return facts.getOrDefault(Objects.requireNonNull(key, "key"), "");
    }
}
