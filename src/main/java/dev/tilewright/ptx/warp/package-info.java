/** What the threads of a warp or of a block do together: votes, shuffles, matrices, barriers. */
package dev.tilewright.ptx.warp;
