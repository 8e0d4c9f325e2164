/** What copies of pageable host memory go by: settings, threads, scratch memory, and faults of mapped files. */
package dev.tilewright.gpu.staging;
