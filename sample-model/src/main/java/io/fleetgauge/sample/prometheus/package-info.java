/**
 * The text forms of Prometheus: numbers as it prints and reads them, and the exposition format.
 *
 * <p>In: values and label sets. Out: characters, equal to Prometheus's to the last digit.
 */
package io.fleetgauge.sample.prometheus;
