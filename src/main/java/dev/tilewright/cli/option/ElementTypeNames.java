package dev.tilewright.cli.option;

import dev.tilewright.layout.ElementType;
import java.util.Arrays;
import java.util.Iterator;

/** The element types as lines of help list them. */
public final class ElementTypeNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Arrays.stream(ElementType.values()).map(ElementType::toString).iterator();
    }
}
