/**
 * Regular expressions in the syntax of RE2, as Go's regexp package and so Prometheus has them.
 *
 * <p>In: an expression and texts. Out: whether a whole text matches, and templates such as {@code
 * ${1}} filled in.
 *
 * <p>Law: the time of a match is at most proportional to the length of the expression times that of
 * the text; an expression that would take much time or memory to compile is refused.
 */
package io.fleetgauge.sample.regexp;
