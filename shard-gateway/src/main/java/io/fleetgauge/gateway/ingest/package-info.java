/**
 * Frames from probes, taken in.
 *
 * <p>In: {@code POST /v1/hosts/HOST/frames}, the body frames of one host one behind the other, the
 * header {@code X-Fleetgauge-Epoch} the newest epoch that the sender was told; with {@code
 * X-Fleetgauge-Check} the body is only looked at. Out: samples in the host's lane, the body in the
 * journal, and one of the answers of {@link io.fleetgauge.sample.frame.IntakeAnswer}.
 *
 * <p>Every host belongs to one of a few lane threads, which decodes its frames and is the one
 * writer of its lane. The requests that wait for these threads are bounded; more are told to slow
 * down. After a start the threads bring back what blocks and journal have, while they take what
 * comes: it waits for its host's past. Now and then they hand old samples to the sealer, which
 * makes blocks of them, and segments of the journal that are needed no more are removed.
 *
 * <p>Law: {@code kept n} is said only when every tick up to n is in the journal as its policy says,
 * and in the store, or was refused for good and counted. A tick that comes twice changes nothing.
 * Bad bytes harm nobody but their sender. Each segment of the journal has the dictionaries that its
 * records need. No lane thread waits for a disk.
 */
package io.fleetgauge.gateway.ingest;
