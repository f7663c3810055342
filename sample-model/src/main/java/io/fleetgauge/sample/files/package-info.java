/**
 * Files and folders that only the user of the process may read.
 *
 * <p>In: paths that a process writes to. Out: files with the permissions {@code rw-------} in
 * folders with {@code rwx------}, on file systems that keep permissions; on others nothing fails.
 * Folders that are deleted go with all that is in them.
 *
 * <p>Law: nothing else in the processes creates a file or a folder ({@code TidyTest}).
 */
package io.fleetgauge.sample.files;
