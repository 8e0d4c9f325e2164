/** What an emulated driver knows: devices, contexts, memory, streams, their work, graphs, and programs. */
package dev.tilewright.gpu.emulation.state;
