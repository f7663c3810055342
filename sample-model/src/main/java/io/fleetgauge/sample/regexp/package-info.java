/**
 * Regular expressions in the syntax of RE2, as Go's regexp package and so Prometheus has them.
 *
 * <p>In: an expression and texts. Out: whether a text matches, where its groups are, and templates
 * such as {@code ${1}} filled in. The probe reads expressions too, and has no library for them: the
 * JDK's own expressions differ in syntax and can take exponential time.
 *
 * <p>Law: the time of a match is at most proportional to the length of the expression times that of
 * the text. Of several matches the leftmost counts, and of those the one that a backtracking search
 * would find first.
 */
package io.fleetgauge.sample.regexp;
