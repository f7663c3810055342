/**
 * The HTTP API of faults: what is and was wrong, since when, why, and what to do.
 *
 * <p>In: requests with filters. Out: JSON, of what the query API that looks for faults has stored;
 * any query API answers.
 *
 * <p>Law: everything is read within the scope of the token: whoever asks sees no episode, and no
 * name of one, of another's job.
 */
package io.fleetgauge.query.faults.api;
