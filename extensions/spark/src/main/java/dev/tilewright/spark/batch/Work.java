package dev.tilewright.spark.batch;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * What a slot computes: how rows lie in its memory, first all that is read, then all that is written.
 *
 * @param groups rows of one shape each
 * @param readBytes how many bytes, the first ones, are read
 * @param bytes how many bytes there are
 * @param sources memory of others that has what is read, by tensor, in place of the slot's; of one group alone
 */
public record Work(List<Group> groups, long readBytes, long bytes, Map<String, MemorySegment> sources) {

    /** Where a tensor lies among the first bytes of the work: in the slot's memory, or in that of others. */
    public MemorySegment segment(String tensor, Group group, MemorySegment memory) {
        MemorySegment source = sources.get(tensor);
        Group.Place place = group.places().get(tensor);
        return source != null ? source : memory.asSlice(place.offset(), place.bytesOfRow() * group.rows());
    }
}
