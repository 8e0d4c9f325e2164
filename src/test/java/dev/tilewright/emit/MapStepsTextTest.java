package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.MapKernels;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How steps that change tensor maps are printed. */
class MapStepsTextTest {
    private static final Parameter.TensorMap TEMPLATE = MapKernels.template(2);
    private static final Parameter.Pointer DATA = new Parameter.Pointer("data", false);

    /** Each such step once. */
    static TileProgram everyStep() {
        Address.Global second = new Address.Global(MapKernels.WORKSPACE, Builtin.BLOCK.times(128).toS64());
        MapSource inMemory = new MapSource.InMemory(second, 2);
        List<Expr> start = Expr.list(0, 8);
        return new TileProgram("map_steps", "one of each", 32, List.of(TEMPLATE, DATA, MapKernels.WORKSPACE),
                new SharedLayout(List.of(MapKernels.MAP, MapKernels.FULL)), Body.steps(b -> {
                    b.purpose("a parameter").prefetchMap(TEMPLATE);
                    b.purpose("copy it").store(MapKernels.MAP.at(16),
                            b.purpose("read it")
                                    .load("piece", ElementType.U64, 2, new Address.MapBytes(TEMPLATE, 16)));
                    b.purpose("address")
                            .replaceMapField(MapKernels.MAP_START,
                            new MapEdit.GlobalAddress(DATA.deviceAddress().plus(Expr.of(32L))));
                    b.purpose("extent").replaceMapField(MapKernels.MAP_START, new MapEdit.GlobalDim(1, Builtin.GRID));
                    b.purpose("stride")
                            .replaceMapField(MapKernels.MAP_START, new MapEdit.GlobalStride(0, 512));
                    b.purpose("rank").replaceMapField(MapKernels.MAP_START, new MapEdit.Rank(2));
                    b.purpose("swizzle").replaceMapField(MapKernels.MAP_START, new MapEdit.SwizzleMode(Swizzle.B128));
                    b.purpose("publish").publishMap(second, MapKernels.MAP_START);
                    b.purpose("release").releaseMaps();
                    b.purpose("acquire").acquireMap(second);
                    b.purpose("one in memory").prefetchMap(inMemory);
                    b.purpose("load").tensorLoad(MapKernels.MAP_START, inMemory, start, MapKernels.LANDED);
                    b.purpose("store").tensorStore(inMemory, start, MapKernels.MAP_START);
                }));
    }

    @Test
    void everyStepIsOneLine() {
        String text = CudaEmitter.emit(everyStep()).text();
        String body = text.substring(text.indexOf("    // a parameter"));
        assertEquals("""
                // a parameter
                ptx::prefetch_tensormap(&template_map);
                // read it
                U64x2 piece = *reinterpret_cast<const U64x2*>(template_map.opaque + 16);
                // copy it
                *reinterpret_cast<U64x2*>(map + 16) = piece;
                // address
                ptx::tensormap_replace_global_address(ptx::shared_address(map), (long long)data + 32LL);
                // extent
                ptx::tensormap_replace_global_dim_1(ptx::shared_address(map), (int)gridDim.x);
                // stride
                ptx::tensormap_replace_global_stride_0(ptx::shared_address(map), 512LL);
                // rank
                ptx::tensormap_replace_rank(ptx::shared_address(map), 1);
                // swizzle
                ptx::tensormap_replace_swizzle_mode_3(ptx::shared_address(map));
                // publish
                ptx::tensormap_cp_fenceproxy(workspace + (long long)((int)blockIdx.x * 128), ptx::shared_address(map));
                // release
                ptx::fence_proxy_tensormap_release();
                // acquire
                ptx::fence_proxy_tensormap_acquire(workspace + (long long)((int)blockIdx.x * 128));
                // one in memory
                ptx::prefetch_tensormap(workspace + (long long)((int)blockIdx.x * 128));
                // load
                ptx::tensor_load_2d(ptx::shared_address(map), workspace + (long long)((int)blockIdx.x * 128), 0, 8,
                ptx::shared_address(full));
                // store
                ptx::tensor_store_2d(workspace + (long long)((int)blockIdx.x * 128), 0, 8, ptx::shared_address(map));
                }
                """, body.replaceAll("(?m)^ +", ""));
        assertTrue(text.contains("\"tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;\" : : "
                + "\"r\"(map)"), text);
        assertTrue(text.contains("\"tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;\" : : "
                + "\"r\"(map), \"l\"(value)"), text);
        assertTrue(text.contains("(\"fence.proxy.tensormap::generic.release.gpu;\" : : : \"memory\")"), text);
        assertTrue(text.contains("(\"prefetch.tensormap [%0];\" : : \"l\"(map) : \"memory\")"), text);
    }
}
