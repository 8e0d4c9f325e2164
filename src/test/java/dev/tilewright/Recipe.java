package dev.tilewright;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a recipe of CONTRIBUTING.md has one add. Edits put text before a piece of a file that is there.
 *
 * @param title of its section
 * @param family a switch over its members has a line for each
 * @param edits to sources of the library, by their names in its folder, without the ending
 * @param files new sources of the library, named likewise
 * @param documents edits to documents, by their names in docs, without the ending
 * @param tests edits to sources of tests, named as those of the library
 * @param use a source whose static {@code check(Path root)} uses the new member, where the documents lie below the root
 */
record Recipe(String title, String family, Map<String, Map<String, String>> edits, Map<String, String> files,
        Map<String, Map<String, String>> documents, Map<String, Map<String, String>> tests, Map<String, String> use) {

    /** One whose members no document lists. */
    Recipe(String title, String family, Map<String, Map<String, String>> edits, Map<String, String> files,
            Map<String, String> use) {
        this(title, family, edits, files, Map.of(), Map.of(), use);
    }

    /** Whether it has one touch a source of the library. */
    boolean touches(String file) {
        return edits.containsKey(file) || files.containsKey(file);
    }

    /** Whether a source of the library may decide by the family's members. */
    boolean decides(String source) {
        return source.contains("switch (") && source.contains(family)
                && Pattern.compile("\\b" + family + "\\b").matcher(source).find();
    }

    /** The class that uses the new member. */
    String useName() {
        return "dev.tilewright." + use.keySet().iterator().next().replace('/', '.');
    }

    @Override
    public String toString() {
        return title;
    }
}
