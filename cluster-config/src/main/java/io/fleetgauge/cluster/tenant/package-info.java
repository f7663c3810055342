/**
 * Who may do what, and for which tenant.
 *
 * <p>In: a file of tenants ({@link io.fleetgauge.cluster.tenant.TenantList}), looked at again and
 * again, and what a request shows: its {@code Authorization}, its {@code X-Scope-OrgID} and its
 * sender's address. Out: a {@link io.fleetgauge.cluster.tenant.Grant}, which names the tenant, its
 * scope and its limits, or a {@link io.fleetgauge.cluster.tenant.Refusal}.
 *
 * <p>Law: a token that is not known, has expired or is malformed gets 401 and nothing else is said;
 * all tokens are compared, each in constant time. Nothing that a client sends chooses a tenant
 * whose token it does not show, unless it comes from a proxy that the file names. A file that is
 * wrong changes nothing: all that is wrong with it is told, and the tenants stay as they were.
 */
package io.fleetgauge.cluster.tenant;
