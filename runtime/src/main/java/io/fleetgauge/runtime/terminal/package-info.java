/**
 * What commands print for people: tables of at most 120 columns, and figures with units.
 *
 * <p>In: rows and figures. Out: lines of text. No line is longer than 120 characters, and no
 * control character of a name gets to the terminal.
 */
package io.fleetgauge.runtime.terminal;
