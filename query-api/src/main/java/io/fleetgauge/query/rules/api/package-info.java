/**
 * The HTTP API of rules and alerts.
 *
 * <p>In: {@code /api/v1/rules} and {@code /api/v1/alerts} of Prometheus, the configuration API of
 * rules of Mimir, and {@code /-/reload}. Out: groups from {@code query.rules.source} with their
 * states, wherever they are evaluated; changes go to {@code query.rules.source}.
 *
 * <p>Law: shapes, filters and errors are those of Prometheus 3.5 and of Mimir. A tenant sees and
 * changes its own groups only; a token without a scope sees and changes the operator's.
 */
package io.fleetgauge.query.rules.api;
