package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.cli.kernel.PresetNames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Presets by the names that people write. */
class PresetNamesTest {

    private static void refused(String message, String asked) {
        assertEquals(message, assertThrows(BadRequestException.class,
                () -> PresetNames.require(Presets.CATALOG, asked)).getMessage());
    }

    @Test
    void aKnownOneIsThatPreset() {
        for (Preset preset : Presets.ALL) {
            assertSame(preset, PresetNames.require(Presets.CATALOG, preset.name()));
        }
    }

    @ParameterizedTest
    @CsvSource({"tensor-cpy, tensor-copy", "bulkcopy, bulk-copy", "cp-async-pipelin, cp-async-pipeline",
        "Tensor-Scale, tensor-scale", "tensor-copy-6d, tensor-copy-1d", "bulk-copy-tokens, bulk-copy-token",
        "cp-async-pipeline2d, cp-async-pipeline-2d"})
    void anUnknownOneGetsTheNearest(String asked, String nearest) {
        refused("there is no preset '" + asked + "': did you mean '" + nearest + "'?", asked);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "nope", "matrix", "photograph", "kernel-of-my-own"})
    void whatIsNearToNoneIsNotGuessed(String asked) {
        refused("there is no preset '" + asked + "': see 'tilewright list'", asked);
    }
}
