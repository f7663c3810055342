/**
 * Changes of labels by rules in the form of Prometheus's {@code relabel_configs}.
 *
 * <p>In: the fields of rules, and label sets. Out: {@link
 * io.fleetgauge.sample.relabel.Relabelling}, which gives each label set its new form, or says that
 * the series is dropped.
 *
 * <p>Law: a rule is accepted exactly if Prometheus 3.5 accepts it, and does what it does there. A
 * rule has no state: a label set gets the same form each time, so callers may remember it.
 */
package io.fleetgauge.sample.relabel;
