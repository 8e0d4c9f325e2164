/** Fences, between scopes and between proxies. */
package dev.tilewright.ptx.fence;
