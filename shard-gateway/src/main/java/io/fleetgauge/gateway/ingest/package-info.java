/**
 * Frames from probes, taken in.
 *
 * <p>In: {@code POST /v1/hosts/HOST/frames}, the body frames of one host one behind the other, the
 * header {@code X-Fleetgauge-Epoch} the newest epoch that the sender was told. Out: samples in the
 * host's lane, and one of the answers of {@link io.fleetgauge.sample.frame.IntakeAnswer}.
 *
 * <p>Every host belongs to one of a few lane threads, which decodes its frames and is the one
 * writer of its lane. The requests that wait for these threads are bounded; more are told to slow
 * down.
 *
 * <p>Law: {@code kept n} is said only when every tick up to n is in the store or was refused for
 * good and counted. A tick that comes twice changes nothing. Bad bytes harm nobody but their
 * sender.
 */
package io.fleetgauge.gateway.ingest;
