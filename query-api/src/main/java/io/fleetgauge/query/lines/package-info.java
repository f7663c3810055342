/**
 * The newest samples of series as lines of the text exposition, where gateways cannot write them.
 *
 * <p>In: series as a query sees them, under aliases. Out: families of lines, packed or not.
 *
 * <p>Law: the lines are those that a gateway would write if the series were stored so.
 */
package io.fleetgauge.query.lines;
