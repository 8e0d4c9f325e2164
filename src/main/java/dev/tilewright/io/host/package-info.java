/** Where this machine and this user keep things. */
package dev.tilewright.io.host;
