/**
 * Frames from probes, taken in.
 *
 * <p>In: requests of {@link io.fleetgauge.sample.frame.IntakeProtocol}. Bodies from owners of hosts
 * that this gateway has copies of come from {@code gateway.peer}. Out: samples in the host's lane,
 * the body in the journal, and one of the answers of {@link
 * io.fleetgauge.sample.frame.IntakeAnswer}.
 *
 * <p>Every host belongs to one of a few lane threads, which decodes its frames and is the one
 * writer of its lane. The requests that wait for these threads are bounded; more are told to slow
 * down. After a start the threads bring back what blocks and journal have, while they take what
 * comes: it waits for its host's past. Now and then they hand old samples to the sealer, which
 * makes blocks of them, and segments of the journal that are needed no more are removed.
 *
 * <p>{@link io.fleetgauge.gateway.ingest.HostIntake} is all of one host, without threads; {@code
 * HostCopies} in it plays the part that the table gives: owner, copy, or neither, with samples that
 * go to the owner and are removed here ten minutes after it has them.
 *
 * <p>Law: {@code kept n} is said only when every tick up to n is in the store and in the journal as
 * its policy says and, as {@code gateway.replication} has it, on a copy or on the disk, or was
 * refused for good and counted. A tick that comes twice changes nothing. Bad bytes harm nobody but
 * their sender. Each segment of the journal has the dictionaries that its records need. No lane
 * thread waits for a disk.
 */
package io.fleetgauge.gateway.ingest;
