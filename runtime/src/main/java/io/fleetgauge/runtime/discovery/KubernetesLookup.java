package io.fleetgauge.runtime.discovery;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;

/** Asks the Kubernetes API for the EndpointSlices of a Service. */
final class KubernetesLookup implements Lookup {
  private final Vertx vertx;
  private final DiscoverySettings settings;
  private final Source.Kubernetes source;
  private final ApiRequests api;

  KubernetesLookup(Vertx vertx, DiscoverySettings settings, Source.Kubernetes source) {
    this.vertx = vertx;
    this.settings = settings;
    this.source = source;
    this.api =
        ApiRequests.toKubernetes(
            vertx,
            source.api(),
            source.tokenFile(),
            source.ca(),
            settings.timeout().toMillis(),
            settings.maxBytes());
  }

  @Override
  public Future<Addresses> ask() {
    return vertx
        .executeBlocking(this::namespace, false)
        // From the memory of the API server, which is some moments old at most and costs little.
        .compose(
            namespace ->
                api.get(
                    "/apis/discovery.k8s.io/v1/namespaces/"
                        + ApiRequests.escaped(namespace)
                        + "/endpointslices?labelSelector="
                        + ApiRequests.escaped("kubernetes.io/service-name=" + source.service())
                        + "&resourceVersion=0"))
        .compose(
            answer ->
                vertx.executeBlocking(
                    () ->
                        KubernetesAnswer.addresses(
                            ApiRequests.good(answer),
                            source.portName(),
                            source.port(),
                            source.hasNotReady(),
                            settings.maxAddresses()),
                    false));
  }

  private String namespace() throws BadAnswer {
    if (source.namespace().isPresent()) {
      return source.namespace().get();
    }
    try {
      return Files.readString(source.namespaceFile()).strip();
    } catch (IOException e) {
      throw new BadAnswer(
          Reason.UNREACHABLE,
          "the namespace of this pod is not known, "
              + e
              + "; set "
              + settings.section()
              + ".kubernetes.namespace");
    }
  }

  @Override
  public String whom() {
    return "the Kubernetes API at " + source.api();
  }

  @Override
  public void close() {
    api.close();
  }
}
