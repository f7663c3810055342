/**
 * HTTP plumbing that all faces of the query API share: routes, authentication, parameters, JSON,
 * streaming, and the mapping of failures; and the start page and the description of the API.
 *
 * <p>In: requests that the {@link io.fleetgauge.runtime.http.Guard} lets in, and each face's {@link
 * io.fleetgauge.query.http.ApiRoutes.Handler}. Out: responses. This package knows no face: each,
 * such as {@code query.prometheus} or a web console, is a package beside it, and the process mounts
 * the faces on one {@link io.fleetgauge.query.http.ApiRoutes}.
 *
 * <p>Law: every failure becomes a status and a body here, so that all faces report one failure in
 * the same way.
 */
package io.fleetgauge.query.http;
