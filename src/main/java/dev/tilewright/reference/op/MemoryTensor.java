package dev.tilewright.reference.op;

import dev.tilewright.BadRequestException;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.BoundTensor;
import dev.tilewright.reference.state.DecodedMaps;
import dev.tilewright.reference.state.DeviceAddresses;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.TensorSource;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.tensormap.DecodedTensorMap;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapDescriptor;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.Validation;
import dev.tilewright.tensormap.sm90.Sm90Replace;
import java.lang.foreign.MemorySegment;

/**
 * A tensor map in global memory: read as sm_90's 128 bytes where a copy goes through it. Its address may be any: the
 * rows of its boxes are looked up among the memory of the launch.
 *
 * @param site the step that uses it
 * @param title what messages call the map
 * @param rank dimensions that the copy has coordinates for
 */
public record MemoryTensor(Site site, String title, AddressOperand place, int rank, DeviceAddresses addresses)
        implements TensorSource {

    @Override
    public BoundTensor of(ThreadState t) {
        ResolvedAddress.InGlobal at = place.global(t, TensorMapEncoder.BYTES, TensorMapEncoder.BYTES, OpAccess.NONE,
                title);
        site.mapUsed(t, at);
        return t.block.maps().use(DecodedMaps.Place.of(at), this::read);
    }

    @Override
    public void copyStarts(ThreadState t) {
        place.global(t, TensorMapEncoder.BYTES, TensorMapEncoder.BYTES, site.mapReads(), title);
    }

    private BoundTensor read(DecodedMaps.Place at) {
        MemorySegment bytes = at.memory().asSlice(at.offset(), TensorMapEncoder.BYTES);
        DecodedTensorMap decoded;
        try {
            decoded = TensorMapDescriptor.of(bytes).decode();
        } catch (BadRequestException e) {
            throw new Fault(Kind.TENSOR_MAP, title + " cannot be used: " + e.getMessage());
        }
        TensorMap map = decoded.map();
        if (map.rank() != rank) {
            throw new Fault(Kind.TENSOR_MAP, title + " has rank " + map.rank() + ", the copy has " + rank
                    + " coordinates");
        }
        if (Sm90Replace.roundsOtherTypes(bytes)) {
            throw new Fault(Kind.TENSOR_MAP, title + " was made for TF32 elements and then given type " + map.type()
                    + ": the hardware faults with ILLEGAL_INSTRUCTION");
        }
        Validation validation = Validation.of(map.at(decoded.address()), Target.SM_90);
        if (!validation.ok()) {
            throw new Fault(Kind.TENSOR_MAP, title + " holds what no encoder would accept: " + validation.report());
        }
        return new BoundTensor(title, map, addresses.around(decoded.address()));
    }
}
