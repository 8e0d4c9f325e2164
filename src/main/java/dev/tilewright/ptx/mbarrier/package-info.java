/** Barriers in shared memory that count arrivals and bytes. */
package dev.tilewright.ptx.mbarrier;
