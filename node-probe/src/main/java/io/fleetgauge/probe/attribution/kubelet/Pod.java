package io.fleetgauge.probe.attribution.kubelet;

/** A pod; the kubelet's list has no UID of it. */
record Pod(String namespace, String name) {
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
