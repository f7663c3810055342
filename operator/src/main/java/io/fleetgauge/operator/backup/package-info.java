/**
 * Backups: what the gateways have, in a folder or in S3, and back from there into a cluster of any
 * size.
 *
 * <p>In: snapshots of gateways ({@code io.fleetgauge.gateway.backup} draws the requests). Out:
 * files under the SHA-256 of their bytes, so that none is sent or stored twice, and one manifest
 * for each backup, which is written last.
 *
 * <pre>
 * repository = fleetgauge-backup.json              {"version": 1}
 *              files/XX/SHA256                     blocks, pages and days of usage; XX begins the SHA-256
 *              backups/ID.json                     manifests; ID is TIME-CHECK, CHECK the first 16
 *                                                  digits of the SHA-256 of the manifest's bytes
 *
 * manifest   = {"version": 1, "cluster": NAME, "taken": MS, "finished": MS, "dimensions": dims,
 *               "gateways": [ID], "missing": [ID],
 *               "hosts": [{"host": NAME, "tenant": NAME, "admitted": MS, "whole": BOOL,
 *                          "copies": [{"gateway": ID, "files": [{"name": NAME, "size": BYTES,
 *                                                                "sha256": HEX}]}]}]}
 *              taken    every sample that was acknowledged before is in the backup, ms since the epoch
 *              missing  gateways that could not be asked
 *              whole    whether one copy has all of the host; of a host for which that is not known,
 *                       the copies of all gateways are in the backup
 * </pre>
 *
 * <p>Law: what cannot be read, or is not what was written, is refused, with the file and the
 * reason; a restore sends nothing to a gateway whose SHA-256 was not compared. A backup that was
 * interrupted leaves files and no manifest; the next one continues with them.
 */
package io.fleetgauge.operator.backup;
