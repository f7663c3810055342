/**
 * Owners of GPUs as schedulers report them.
 *
 * <p>In: {@code POST /v1/allocations} and {@code DELETE /v1/allocations/ID}, over a Unix socket of
 * the node, or over the probe's HTTP port with a token. Out: an {@link
 * io.fleetgauge.probe.attribution.OwnerSource}.
 *
 * <p>An allocation is JSON:
 *
 * <pre>
 *   {"id": "slurm-4711",             letters, digits and . _ : - ; a later one with this id replaces it
 *    "gpus": ["GPU-UUID", 0],        as DeviceIds reads them; a number N is the device file nvidiaN
 *    "owner": {"hpc_job": "4711"},   labels
 *    "expires": 1767225600}          seconds since the epoch or RFC 3339; without it, never
 * </pre>
 *
 * <p>They are kept in a file, so that they survive a restart of the probe:
 *
 * <pre>
 *   fleetgauge-allocations 1 CRC BOOT   version; CRC-32 of all that follows, in 8 hex digits; boot id
 *   {"id": ... , "hadCgroup": true}     an allocation a line
 * </pre>
 *
 * <p>Law: repeating a request changes nothing. What is damaged or beyond a limit is refused with a
 * reason, and changes nothing. A file that is damaged is no allocations, never wrong ones.
 */
package io.fleetgauge.probe.attribution.allocation;
