/** What changes while a program runs: threads, blocks and clusters, their memory, mbarriers, and copies under way. */
package dev.tilewright.reference.state;
