/**
 * Files and folders that are looked at again and again.
 *
 * <p>In: what to look at, and how often. Out: {@link io.fleetgauge.runtime.files.FilePoller}, which
 * looks on a thread of its own.
 *
 * <p>Law: a look that fails or hangs holds up nothing but the looks after it.
 */
package io.fleetgauge.runtime.files;
