package dev.tilewright.bench.rival;

import dev.tilewright.NotNull;
import dev.tilewright.bench.result.Spread;

/**
 * One figure that a rival has answered.
 *
 * @param name of what was measured
 * @param unit its symbol
 * @param spread the samples, in that unit
 * @param amount bytes or operations of one piece of work; 0 where it does not say
 * @param verified whether it has compared every byte or element of its output
 */
public record RivalFigure(String name, String unit, Spread spread, double amount, boolean verified) {

    public RivalFigure {
        NotNull.all("name, unit, spread", name, unit, spread);
    }
}
