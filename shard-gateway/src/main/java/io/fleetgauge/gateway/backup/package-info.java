/**
 * Backups on the side of a gateway.
 *
 * <p>In: requests of {@code fleetgauge backup} and {@code restore}; blocks, pages and files of
 * usage of a backup. Out: snapshots of what the gateway has; samples of a backup in the lanes of
 * hosts.
 *
 * <p>A snapshot is taken while the gateway goes on. It has the blocks of each host, pinned by hard
 * links, and pages with the samples that are not in a block yet; both are looked at in one task of
 * the host's lane, so no sample is in neither. It is removed when it is told to be, when the
 * gateway is started again, and when nobody has asked for it for two hours.
 *
 * <pre>
 * GET    /v1/backup                  200 about
 * POST   /v1/backup                  202 {"id": ID}: a snapshot is begun | 409: there are two
 * GET    /v1/backup/ID               200 snapshot | 202 {"hosts": N, "of": M} | 404 | 500 REASON
 * GET    /v1/backup/ID/files/N?from=BYTE   the bytes of a file from there on
 * DELETE /v1/backup/ID               204
 *
 * about    = {"version": 1, "gateway": ID, "cluster": NAME, "gateways": {ID: ADDRESS},
 *             "retention": MS, "dimensions": dims}
 * snapshot = {"version": 1, "gateway": ID, "cluster": NAME, "taken": MS, "dimensions": dims,
 *             "hosts": [{"host": NAME, "whole": BOOL, "tenant": NAME, "admitted": MS,
 *                        "damaged": [NAME], "files": [{"name": NAME, "size": BYTES,
 *                                                       "sha256": HEX, "file": N}]}]}
 *            taken    every sample that was acknowledged before is in the snapshot of a gateway
 *                     that was whole, ms since the epoch
 *            whole    whether the gateway owned the host and had all of it
 *            damaged  blocks that cannot be read, which are left out
 *            name     FROM-TO.block or FROM-TO.page, times in ms; YYYY-MM-DD.usage
 * dims     = {"identifier": LABEL, "names": [LABEL]}
 *
 * POST   /v1/restore/series         200 {"series": [{"host": NAME, "labels": {LABEL: VALUE}} | null]}:
 *                                    how each of {"series": [{LABEL: VALUE}]} is stored; null if
 *                                    relabelling drops it
 * POST   /v1/restore/hosts/HOST?tenant=NAME&amp;admitted=MS
 *                                    200 {"owner": ID, "holders": {ID: ADDRESS}} | 202: the host is
 *                                    made known, ask again
 * GET    /v1/restore/hosts/HOST/blocks        200 {NAME: SHA256}: blocks that are here
 * PUT    /v1/restore/hosts/HOST/blocks/NAME   200: kept until they are taken in | 400: damaged
 * POST   /v1/restore/hosts/HOST/blocks        200 {"adopted": N, "known": N, "united": N,
 *                                             "merged": N}: taken in | 409: not a holder
 * PUT    /v1/restore/hosts/HOST/usage/NAME    200 {"taken": BOOL}: the usage of a day that was not
 *                                             here | 400: damaged | 409: not a holder
 * POST   /v1/restore/hosts/HOST/samples       a page; 200: what is older than the memory is in
 *                                             blocks, and what is not, in the owner's memory and
 *                                             journal | 409: not a holder
 * POST   /v1/restore/hosts/HOST/end           200: replicas fetch what they lack
 * </pre>
 *
 * <p>Requests are admitted as those of the cluster's own processes: signed with its secret, or with
 * a certificate. A token does not suffice, because a backup has the samples of all tenants.
 *
 * <p>Law: samples are facts, so what is restored is united with what is there; of two values at one
 * time, the one that is there stays. A block whose bytes are not those that were backed up is
 * refused, and nothing has changed.
 */
package io.fleetgauge.gateway.backup;
