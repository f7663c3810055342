/**
 * The terminal: what commands have in common, and what they print for people.
 *
 * <p>In: a command line; documents in JSON, texts and figures. Out: usage, exit codes and failures;
 * lines of text, and figures with units.
 *
 * <p>Law: a command prints its document as JSON or makes text of the same document, and knows
 * nothing else. No line of text is longer than 120 characters, and no control character of a name
 * gets to the terminal.
 */
package io.fleetgauge.runtime.terminal;
