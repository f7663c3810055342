/**
 * Manual pages and completions for bash of the commands that are installed.
 *
 * <p>In: the commands as picocli knows them. Out: {@code share/man/man1} and {@code
 * share/bash-completion/completions}.
 *
 * <p>Law: they say what {@code --help} says.
 */
package io.fleetgauge.distribution.manual;
