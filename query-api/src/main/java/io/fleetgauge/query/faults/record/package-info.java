/**
 * Episodes as samples, which gateways keep with those of the host.
 *
 * <p>In: episodes. Out: their series, and episodes again of what was stored.
 *
 * <pre>
 * gpu_fault_active{kind,severity,cause,...}       1 at each step while it is open, then stale
 * gpu_fault_episode{episode,kind,...,details}     1 when it begins or tells more, and each hour
 *                                                 while it is open; 0 when it is over
 * gpu_fault_episodes_total{kind,severity,Hostname,UUID}   episodes that have begun
 * gpu_fault_delivered{episode,receiver,state}     time of the sample of gpu_fault_episode that the
 *                                                 receiver has taken, seconds
 * gpu_fault_evaluated_timestamp_seconds           the last step
 * gpu_job_verdict{job,kind,verdict,reason,...}    1 each minute while a detector thinks so of a job
 * gpu_lemon_score{Hostname,UUID,...}              of nodes and GPUs that had episodes
 * </pre>
 *
 * <p>{@code details} is JSON, shorter than the longest label that gateways take: evidence is left
 * out first.
 *
 * <p>Law: an episode that is read is the one that was written, but for what was left out of it. The
 * series of an episode depend on nothing but the episode, so that whoever writes it writes the
 * same. No clock, no network.
 */
package io.fleetgauge.query.faults.record;
