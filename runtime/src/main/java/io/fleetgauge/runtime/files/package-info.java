/**
 * Files and folders that are looked at again and again.
 *
 * <p>In: what to look at, and how often. Out: {@link io.fleetgauge.runtime.files.FilePoller}, which
 * looks, and {@link io.fleetgauge.runtime.files.ChangedFiles}, which tells that files have changed.
 *
 * <p>Law: a look that fails is followed by the next one; a look that hangs holds up nothing but the
 * looks after it. A file that is being replaced has not changed until it can be read again.
 */
package io.fleetgauge.runtime.files;
