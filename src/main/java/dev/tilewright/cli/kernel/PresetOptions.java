package dev.tilewright.cli.kernel;

import dev.tilewright.builder.Mechanism;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Schedule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options of all presets, as their builders declare them, on a command line. Which of them a preset has, it says
 * itself.
 */
final class PresetOptions {
    /** By name, in the order of the presets; the same name may stand for several where builders differ in the range. */
    private final Map<String, List<Option<?, ?>>> declared = new LinkedHashMap<>();
    private final Map<String, OptionSpec> read = new LinkedHashMap<>();

    PresetOptions(PresetCatalog presets) {
        for (Mechanism<?> mechanism : presets.mechanisms()) {
            mechanism.options().forEach(o -> declared.computeIfAbsent(o.name(), _ -> new ArrayList<>()).add(o));
        }
    }

    /** Adds the options to a command. */
    void addTo(CommandSpec command) {
        declared.forEach((name, same) -> {
            OptionSpec option = OptionSpec.builder("--" + name).type(String.class).paramLabel(same.getFirst().label())
                    .description(description(same)).build();
            command.addOption(option);
            read.put(name, option);
        });
    }

    /** What is chosen on the command line. */
    Schedule schedule() {
        Schedule schedule = Schedule.DEFAULT;
        for (Map.Entry<String, OptionSpec> option : read.entrySet()) {
            String text = option.getValue().getValue();
            if (text != null) {
                schedule = schedule.with(option.getKey(), text);
            }
        }
        return schedule;
    }

    private static String description(List<Option<?, ?>> same) {
        Option<?, ?> first = same.getFirst();
        boolean oneRange = same.stream().allMatch(o -> o.range().equals(first.range()));
        return first.help() + (oneRange ? ": " + first.range() : "");
    }
}
