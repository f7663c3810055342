/**
 * Who may run a query, and when.
 *
 * <p>In: a tenant, the {@link io.fleetgauge.query.admission.Cost} of a query, a deadline; what the
 * cluster's other query APIs use. Out: a place that is released when the query ends, or a failure
 * that names the limit, the figures and the tenant.
 *
 * <p>Law: never more queries run or wait than are allowed; waiting tenants are served by their
 * weights; a tenant that asks for much does not keep others waiting, and a tenant that was away has
 * not saved up turns.
 */
package io.fleetgauge.query.admission;
