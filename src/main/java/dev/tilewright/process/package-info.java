/** Child processes that exchange lines of text, and the messages of this library's own workers. */
package dev.tilewright.process;
