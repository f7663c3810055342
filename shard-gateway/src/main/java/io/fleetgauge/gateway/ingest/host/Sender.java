package io.fleetgauge.gateway.ingest.host;

/**
 * Who sends samples, and how many hosts they may name.
 *
 * @param tenant empty when it is not known
 * @param hosts most hosts that the tenant may make known
 * @param newHosts most of them within an hour
 */
public record Sender(String tenant, int hosts, int newHosts) {
  /** One without limits: a process of the cluster, or anybody where there are no tenants. */
  public static final Sender UNLIMITED = new Sender("", Integer.MAX_VALUE, Integer.MAX_VALUE);
}
