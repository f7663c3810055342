/**
 * Where log lines go, and how many.
 *
 * <p>In: {@link io.fleetgauge.runtime.config.LogSettings} and the events of all packages. Out:
 * lines of text or JSON on the console or in a file.
 *
 * <p>Law: lines of one kind are limited in each minute; what is left out is counted and said.
 */
package io.fleetgauge.runtime.log;
