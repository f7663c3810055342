/**
 * The templates of rules: the part of Go's text/template that rules use, with the functions that
 * Prometheus offers to rules.
 *
 * <p>In: a text, the labels and value of an alert, and a way to ask for the answers of queries.
 * Out: the expanded text, or an error in our words. No clock, no network.
 *
 * <p>Law: an expanded text is the one that {@code promtool test rules} has for the same template
 * ({@code TemplateCorpusTest}). A template with a part of Go's language that is not supported is
 * refused when its rule is read, with what to use instead; where only the values of an alert show
 * that, its expansion fails. An expansion ends: its steps and its output are bounded.
 */
package io.fleetgauge.query.rules.template;
