package dev.tilewright.cli.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.verify.PlantedCase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what is to go wrong on purpose, and at which case: {@code hang@137}. */
final class VerifyPlants {
    private static final Pattern TEXT = Pattern.compile("(hang|fault)@(\\d{1,18})");

    private VerifyPlants() { }

    /** @throws BadRequestException if a text is none */
    static Map<Long, PlantedCase.What> parse(List<String> plants) {
        Map<Long, PlantedCase.What> planted = new LinkedHashMap<>();
        for (String plant : plants) {
            Matcher matcher = TEXT.matcher(plant);
            if (!matcher.matches()) {
                throw new BadRequestException("--plant takes hang@N or fault@N, such as hang@137, got '" + plant + "'");
            }
            planted.put(Long.parseLong(matcher.group(2)),
                    PlantedCase.What.valueOf(matcher.group(1).toUpperCase(Locale.ROOT)));
        }
        return planted;
    }
}
