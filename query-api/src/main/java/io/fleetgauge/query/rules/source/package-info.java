/**
 * Where rule groups come from: those that are bundled (written in {@code
 * distribution/src/main/rules}, only found here), files of the configuration, and groups that are
 * set by API.
 *
 * <p>In: rule files, which are read again when they change; groups that clients set and delete; and
 * what other query APIs have of these. Out: {@link io.fleetgauge.query.rules.source.RuleSource},
 * one immutable list of all groups, which is another one when they have changed.
 *
 * <p>Law: rules that worked go on. A file that cannot be used leaves the groups of all files as
 * they are; a damaged group on disk or from another query API concerns that group only. A group
 * that a client was told is set is on the disk of this query API, and after an exchange on those of
 * all others: of two forms of one group the one with the higher version wins everywhere.
 *
 * <p>A group that was set by API is these bytes; the file {@code groups/HEX.group} has a CRC32C
 * behind them, little-endian. HEX is the SHA-256 of tenant, namespace and group with a 0 between
 * them.
 *
 * <pre>
 * u8      format version, 1
 * string  tenant            a string is a varint of its bytes, and its bytes in UTF-8
 * string  namespace
 * string  group
 * varint  version           ms since the epoch when it was set, or one more than the version before
 * u8      1 if it is deleted, else 0
 * string  the text in YAML; empty if it is deleted
 * </pre>
 *
 * <p>Query APIs exchange them over HTTP as peers: {@code POST /v1/rules/versions} lists tenant,
 * namespace, group, version and a check (u32) of each, {@code POST /v1/rules/read} answers the
 * groups that are named so, and {@code POST /v1/rules/groups} takes groups. A list is a varint of
 * its items, and the items. A query API asks one whose digest of all that it has differs from its
 * own: the note of topic {@code rule-groups} in heartbeats ({@code cluster.peers}), a u64.
 */
package io.fleetgauge.query.rules.source;
