package io.fleetgauge.query.fanout;

import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.fragment.form.FragmentCodec;
import io.fleetgauge.runtime.http.OutgoingRequest;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * In which version of fragments each gateway is asked, so that query APIs and gateways of two
 * releases work together. A gateway that is not known yet is asked in the newest. Safe for all
 * threads.
 */
final class FragmentVersions {
  private static final int MAX_GATEWAYS = 10_000;

  private final Map<URI, Integer> known = new ConcurrentHashMap<>();

  int of(URI gateway) {
    return known.getOrDefault(gateway, FragmentCodec.newest());
  }

  /**
   * Learns from a response.
   *
   * @param asked the version of the request
   * @return the version to ask again in, if the gateway does not know that one; otherwise the same
   */
  int answered(URI gateway, int asked, OutgoingRequest.Answer answer) {
    String stated = answer.headers().get(FragmentProtocol.NEWEST);
    boolean isRefused = answer.status() == FragmentProtocol.NOT_A_FRAGMENT;
    int theirs = asked;
    if (stated != null) {
      try {
        theirs = Integer.parseInt(stated);
      } catch (NumberFormatException e) {
        return asked;
      }
    } else if (isRefused) {
      // The release before does not state it.
      theirs = FragmentCodec.OLDEST;
    }
    int both = Math.clamp(theirs, FragmentCodec.OLDEST, FragmentCodec.newest());
    if (known.size() >= MAX_GATEWAYS) {
      known.clear();
    }
    if (both == FragmentCodec.newest()) {
      known.remove(gateway);
    } else {
      known.put(gateway, both);
    }
    return isRefused && both < asked ? both : asked;
  }
}
