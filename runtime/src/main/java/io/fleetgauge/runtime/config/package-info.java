/**
 * Sections of configuration that several processes have: HTTP, TLS, trust, logs, traces, limits of
 * tenants, discovery of gateways and registration of probes, and access to servers of other
 * systems.
 *
 * <p>In: the keys of a file. Out: records.
 *
 * <p>Law: an unknown key, a wrong unit and a value out of range are errors that name the key, the
 * value and what is allowed. What only one process has stands in the room {@code config} of that
 * process. A key of a method of discovery that is not in use is an error. A server of another
 * system is known by its certificate unless a key says otherwise.
 */
package io.fleetgauge.runtime.config;
