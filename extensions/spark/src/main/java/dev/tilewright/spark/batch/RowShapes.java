package dev.tilewright.spark.batch;

import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The extents that follow from how many elements a row has in each column that is read. A tensor of several dimensions
 * beside the rows is one array, row-major; at most one of them may be unknown.
 */
public final class RowShapes {
    private final RowTensors tensors;
    private final List<Tensor> read;
    private final Map<String, Long> said;
    private final Map<List<Integer>, Map<String, Long>> known = new HashMap<>();

    /** @param said extents that hold for all rows, by dimension: those of what is whole, and the user's */
    public RowShapes(RowTensors tensors, Map<String, Long> said) {
        this.tensors = tensors;
        this.read = tensors.cut().stream().filter(t -> t.role() == Tensor.Role.IN).toList();
        this.said = Map.copyOf(said);
    }

    /**
     * Sees to it that every row will have a shape, before there is one.
     *
     * @throws IllegalArgumentException if an extent follows neither from columns nor from what was said
     */
    public void require() {
        Set<String> open = new HashSet<>();
        Map<String, Long> some = new HashMap<>(said);
        for (Tensor tensor : read) {
            List<Dim> unknown = RowTensors.dimsOfRow(tensor).stream().filter(d -> d.in(some).isEmpty()).distinct()
                    .toList();
            if (unknown.size() > 1) {
                throw new IllegalArgumentException("tensor '" + tensor.name() + "' is " + tensor.dims() + ", and the "
                        + "length of an array tells one extent: say extent(\"" + unknown.getFirst() + "\", …)");
            }
            unknown.forEach(dim -> some.put(dim.name(), 1L));
        }
        tensors.cut().forEach(t -> RowTensors.dimsOfRow(t).stream().filter(d -> d.in(some).isEmpty())
                .forEach(d -> open.add(d.name())));
        if (!open.isEmpty()) {
            throw new IllegalArgumentException("kernel '" + tensors.kernel().name() + "': no column tells the extent '"
                    + open.iterator().next() + "': say extent(\"" + open.iterator().next() + "\", …)");
        }
    }

    /**
     * The extents of rows with these lengths, all but the number of rows.
     *
     * @param lengths a number for each tensor that is cut and read, as declared; 1 where it is one element
     * @throws IllegalArgumentException if the kernel has no such rows
     */
    public Map<String, Long> extents(List<Integer> lengths) {
        return known.computeIfAbsent(lengths, this::solved);
    }

    private Map<String, Long> solved(List<Integer> lengths) {
        Map<String, Long> extents = new HashMap<>(said);
        for (int i = 0; i < read.size(); i++) {
            long length = lengths.get(i);
            Dim unknown = null;
            long product = 1;
            for (Dim dim : RowTensors.dimsOfRow(read.get(i))) {
                OptionalLong size = dim.in(extents);
                if (size.isPresent()) {
                    product *= size.getAsLong();
                } else {
                    unknown = dim;
                }
            }
            if (unknown != null) {
                if (length % product != 0) {
                    throw refusal(read.get(i), length, "whole times " + product);
                }
                extents.put(unknown.name(), length / product);
            } else if (product != length) {
                throw refusal(read.get(i), length, Long.toString(product));
            }
        }
        return extents;
    }

    private IllegalArgumentException refusal(Tensor tensor, long length, String wanted) {
        return new IllegalArgumentException("a row has " + length + " elements for tensor '" + tensor.name() + "' of "
                + tensor.dims() + ", and the other columns ask for " + wanted + ": give rows whose arrays go together");
    }

    /** How many elements a row has of a tensor. */
    public long elements(Tensor tensor, Map<String, Long> extents) {
        return RowTensors.dimsOfRow(tensor).stream().mapToLong(dim -> dim.in(extents).orElseThrow())
                .reduce(1, Math::multiplyExact);
    }

    /** A tensor's extents in a launch, outermost first. */
    public long[] shape(Tensor tensor, Map<String, Long> extents, long rows) {
        List<Long> shape = new ArrayList<>();
        Map<String, Long> all = new HashMap<>(extents);
        all.put(tensors.rows().name(), rows);
        tensor.dims().forEach(dim -> shape.add(dim.in(all).orElseThrow()));
        return shape.stream().mapToLong(Long::longValue).toArray();
    }

    /** The tensors. */
    public RowTensors tensors() {
        return tensors;
    }
}
