/**
 * Rule groups: what a rule file says.
 *
 * <p>In: the text of a rule file in Prometheus's form. Out: {@link
 * io.fleetgauge.query.rules.definition.RuleGroup}s, or {@link
 * io.fleetgauge.query.rules.definition.InvalidRules} that list all problems at once, each with its
 * place.
 *
 * <p>Law: what {@code promtool check rules} refuses is refused here, and nothing else but keys that
 * are wrong in Fleetgauge's own additions ({@code partial}).
 */
package io.fleetgauge.query.rules.definition;
