package dev.tilewright.reference.op;

import dev.tilewright.reference.state.GlobalMemory;
import dev.tilewright.reference.state.SharedMemory;
import dev.tilewright.reference.state.ThreadState;

/** Loads and stores of fragments. A fragment is one slot up to 8 bytes, two slots with 16. */
public final class FragmentOps {

    private FragmentOps() { }

    public record LoadShared(OpAccess access, int slot, int bytes, SharedPlace from) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int address = from.address(t, bytes, bytes, access);
            SharedMemory shared = t.block.shared();
            if (bytes == 16) {
                t.slots[slot] = shared.get(address, 8);
                t.slots[slot + 1] = shared.get(address + 8, 8);
            } else {
                t.slots[slot] = shared.get(address, bytes);
            }
            return pc + 1;
        }
    }

    public record LoadGlobal(OpAccess access, int slot, int bytes, GlobalPlace from) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long offset = from.offset(t, bytes, bytes, access);
            GlobalMemory memory = from.memory();
            if (bytes == 16) {
                t.slots[slot] = memory.get(offset, 8);
                t.slots[slot + 1] = memory.get(offset + 8, 8);
            } else {
                t.slots[slot] = memory.get(offset, bytes);
            }
            return pc + 1;
        }
    }

    public record StoreShared(OpAccess access, int slot, int bytes, SharedPlace to) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int address = to.address(t, bytes, bytes, access);
            SharedMemory shared = t.block.shared();
            if (bytes == 16) {
                shared.set(address, 8, t.slots[slot]);
                shared.set(address + 8, 8, t.slots[slot + 1]);
            } else {
                shared.set(address, bytes, t.slots[slot]);
            }
            return pc + 1;
        }
    }

    public record StoreGlobal(OpAccess access, int slot, int bytes, GlobalPlace to) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long offset = to.offset(t, bytes, bytes, access);
            GlobalMemory memory = to.memory();
            if (bytes == 16) {
                memory.set(offset, 8, t.slots[slot]);
                memory.set(offset + 8, 8, t.slots[slot + 1]);
            } else {
                memory.set(offset, bytes, t.slots[slot]);
            }
            return pc + 1;
        }
    }
}
