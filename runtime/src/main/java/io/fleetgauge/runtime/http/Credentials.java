package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.trust.RequestHead;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.util.Map;

/** Proof of the sender of a request, in headers. Safe for all threads. */
@FunctionalInterface
public interface Credentials {
  /** No proof. */
  Credentials NONE = (head, target, body) -> Map.of();

  /**
   * Headers for a request that is about to be sent.
   *
   * @param target has a port
   */
  Map<String, String> headers(RequestHead head, URI target, Buffer body);

  /** The signature of a process of the cluster, where the cluster has a secret. */
  static Credentials ofCluster(RequestSigner signer) {
    return (head, target, body) ->
        signer.isSet()
            ? signer
                .sign(
                    RequestSigner.receiver(target.getHost(), target.getPort()),
                    head,
                    BodyDigest.of(body))
                .map(signature -> Map.of(RequestSigner.HEADER, signature))
                .orElse(Map.of())
            : Map.of();
  }
}
