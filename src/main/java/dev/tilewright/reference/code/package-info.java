/** What a thread computes: index expressions, conditions and values, as code over its slots. */
package dev.tilewright.reference.code;
