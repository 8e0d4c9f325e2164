package dev.tilewright.tensormap;

import dev.tilewright.NotNull;
import dev.tilewright.tensormap.call.EncodeCall;
import java.util.List;

/**
 * A tensor map decoded from its 128 bytes.
 *
 * @param map the description
 * @param address the tensor's first byte
 * @param unknowns what the bytes do not tell, or hold beyond what is understood: one sentence each
 */
public record DecodedTensorMap(TensorMap map, long address, List<String> unknowns) {

    public DecodedTensorMap {
        NotNull.all("map, unknowns", map, unknowns);
        unknowns = List.copyOf(unknowns);
    }

    /** The driver call that would give these bytes. */
    public EncodeCall call() {
        return map.at(address);
    }

    /** The description for people, with the address and unknown fields. */
    public String describe() {
        StringBuilder text = new StringBuilder(map.describe());
        text.append("address          0x").append(Long.toHexString(address)).append('\n');
        unknowns.forEach(u -> text.append("not known        ").append(u).append('\n'));
        return text.toString();
    }
}
