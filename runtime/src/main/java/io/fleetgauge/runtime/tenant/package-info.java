/**
 * Authentication and authorization: which tenant a request belongs to and what it may do.
 *
 * <p>In: the tenants file ({@link io.fleetgauge.runtime.tenant.TenantList}), checked for changes
 * every two seconds, and what a request presents: its {@code Authorization} header, its {@code
 * X-Scope-OrgID} header and the address of its sender. Out: a {@link
 * io.fleetgauge.runtime.tenant.Grant} with the tenant, its scope, its limits and its permissions,
 * or a {@link io.fleetgauge.runtime.tenant.Refusal}.
 *
 * <p>Law: a token that is unknown, expired or malformed gets 401 without a reason. A token is
 * compared with the hashes of all tokens, each in constant time. A request gets the tenant of its
 * token; without a token it gets the tenants that {@code X-Scope-OrgID} names, and only from a
 * proxy that the file lists. A file with an error changes nothing: every problem in it is logged,
 * and the tenants read before stay in use.
 */
package io.fleetgauge.runtime.tenant;
