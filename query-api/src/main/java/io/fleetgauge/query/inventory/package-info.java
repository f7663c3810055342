/**
 * The inventory: hosts, GPUs, NVLinks and NVLink domains that should be there, beside those that
 * are.
 *
 * <p>In: the newest samples of hosts that send and the last ones of those that are silent, the
 * samples of schedulers, and a file. Out: {@link io.fleetgauge.query.inventory.Inventory}, served
 * as {@code /api/v1/inventory}, and as samples that the evaluation of faults stores each minute.
 *
 * <p>Law: what was there and is silent stays in it, with the number of GPUs that it had, until it
 * has been silent for {@code inventory.keep}. A caller with a scope sees only hosts and GPUs of
 * which it sees a series.
 */
package io.fleetgauge.query.inventory;
