/**
 * The scopes of tenants as matchers.
 *
 * <p>In: the selectors that tokens impose. Out: matchers that every series of a query has to meet.
 *
 * <p>Law: scopes that matchers cannot express exactly are an error, never a wider scope.
 */
package io.fleetgauge.query.scope;
