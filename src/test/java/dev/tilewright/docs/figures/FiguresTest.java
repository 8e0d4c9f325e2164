package dev.tilewright.docs.figures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every figure of the README and of docs/ is what its log, or the source, says. */
class FiguresTest {
    private static final boolean EVERY = Boolean.getBoolean("tilewright.figures.every");

    private static List<Block> blocks() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(Log.ROOT.resolve("README.md")));
        try (Stream<Path> docs = Files.list(Log.ROOT.resolve("docs"))) {
            // docs/ptx.md is written from the records, and PtxCommandTest holds it.
            docs.filter(p -> p.toString().endsWith(".md") && !p.endsWith("ptx.md")).sorted().forEach(pages::add);
        }
        List<Block> blocks = new ArrayList<>();
        for (Path page : pages) {
            blocks.addAll(Block.of(Log.ROOT.relativize(page).toString(), Files.readString(page)));
        }
        return blocks;
    }

    private static List<String> complaints(Block block) {
        try {
            return block.complaints();
        } catch (IllegalArgumentException e) {
            return List.of(e.getMessage());
        }
    }

    @Test
    void everyFigureIsThatOfItsLog() throws IOException {
        List<String> all = new ArrayList<>();
        for (Block block : blocks()) {
            complaints(block).forEach(c -> all.add(block.page() + ":" + block.line() + ": " + c));
        }
        assertEquals(List.of(), all, () -> "A comment behind the text, or before the table, says where a figure"
                + " comes from (see Block and Evidence):\n" + String.join("\n", all));
    }

    /** Each figure with one digit replaced, as drawn; with each digit by each other one where that is asked for. */
    @Test
    void aChangedFigureIsFound() throws IOException {
        Random random = new Random(25);
        int changed = 0;
        List<String> missed = new ArrayList<>();
        // What a test of its own holds is that test's to find.
        for (Block block : blocks().stream().filter(b -> !b.evidence().startsWith("held ")).toList()) {
            for (Figure figure : Figure.of(block.text())) {
                List<String> others = others(figure.text());
                Collections.shuffle(others, random);
                for (String other : EVERY || others.isEmpty() ? others : others.subList(0, 1)) {
                    StringBuilder text = new StringBuilder(block.text());
                    text.replace(figure.at(), figure.at() + figure.text().length(), other);
                    changed++;
                    if (complaints(block.with(text.toString(), block.evidence())).isEmpty()) {
                        missed.add(block.page() + ":" + block.line() + ": " + other + " for " + figure.text());
                    }
                }
            }
        }
        double share = 1 - (double) missed.size() / changed;
        System.err.printf("changed figures %d, found %.4f%n", changed, share);
        assertTrue(share >= 0.97,
                share + " of " + changed + " changed figures are found; not:\n" + String.join("\n", missed));
    }

    /** The figures that differ from this one in one digit. */
    private static List<String> others(String figure) {
        List<String> others = new ArrayList<>();
        for (int digit = 0; digit < figure.length(); digit++) {
            for (char other = '0'; other <= '9' && Character.isDigit(figure.charAt(digit)); other++) {
                if (other != figure.charAt(digit) && (other != '0' || digit > 0)) {
                    others.add(figure.substring(0, digit) + other + figure.substring(digit + 1));
                }
            }
        }
        return others;
    }}
