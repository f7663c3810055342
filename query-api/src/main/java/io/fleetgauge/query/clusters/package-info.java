/**
 * Several clusters as one: {@link io.fleetgauge.query.clusters.Clusters}, and what other clusters
 * ask of this one: {@link io.fleetgauge.query.clusters.ClusterRoutes}.
 *
 * <p>In: questions for gateways, as {@code query.fanout} makes them of reads. Out: the answers of
 * the gateways of all clusters, with the name of the cluster in the label {@code cluster}; what is
 * missing of each cluster. A cluster is asked in one request, whose answer has those of all its
 * gateways; so all of them become one answer as those of one cluster do.
 *
 * <pre>
 * POST /v1/clusters/read
 *
 * request = 'C' 'Q' version:u8(1) timeoutMillis:uvar since:u64 length:uvar fragment
 *           fragment  as promql.fragment draws it; its hosts are those that are not read
 *           since     0 does not ask for changes, 1 asks for the first time
 * answer  = 'C' 'A' version:u8(1) epoch:svar hosts:uvar missing:list(string) hedged:u8 split:string
 *           (0:u8 | 1:u8 position:u64 epoch:svar watermark:svar all:u8 list(svar))
 *           list(length:uvar answer)
 * 400     the body is not a read, or one of another version, which is named
 * 422     the read is over a limit of the tenant
 * </pre>
 *
 * <p>Law: an answer equals that of one Prometheus that has all series with the label. A host that
 * several clusters have is read in one of them. Nothing is believed that was not asked for. A
 * cluster that does not answer delays others by its deadline at most, and is named as missing.
 */
package io.fleetgauge.query.clusters;
