/**
 * The terminal: options that commands have in common, and what they print for people.
 *
 * <p>In: a command line; texts and figures. Out: values of options; lines of text, and figures with
 * units.
 *
 * <p>Law: no line is longer than 120 characters, and no control character of a name gets to the
 * terminal.
 */
package io.fleetgauge.runtime.terminal;
