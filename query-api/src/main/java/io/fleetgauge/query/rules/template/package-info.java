/**
 * The templates of rules: Go's text/template with the functions that Prometheus offers to rules.
 *
 * <p>In: a text, the labels and value of an alert, and a way to ask for the answers of queries.
 * Out: the expanded text, or an error in the words of Prometheus. No clock, no network.
 *
 * <p>Law: a template that {@code promtool test rules} expands is expanded to the same text here,
 * and one that it refuses is refused with the same message. An expansion ends: its steps and its
 * output are bounded.
 */
package io.fleetgauge.query.rules.template;
