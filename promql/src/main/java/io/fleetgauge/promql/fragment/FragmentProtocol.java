package io.fleetgauge.promql.fragment;

/**
 * How a query API sends a {@link Fragment} to a gateway over HTTP; {@link FragmentCodec} has the
 * bodies.
 *
 * <pre>
 * POST /v1/fragments
 *
 * 200    the encoded {@link FragmentAnswer}
 * 400    the body is not a fragment
 * 422    the fragment reads more samples than it may
 * 503    the gateway is short of memory; Retry-After, in seconds
 * </pre>
 */
public final class FragmentProtocol {
  public static final String PATH = "/v1/fragments";

  /** In each response: the newest version of fragments that the gateway knows. */
  public static final String NEWEST = "X-Fleetgauge-Fragments";

  /** The status of a body that is no fragment, or one of an unknown version. */
  public static final int NOT_A_FRAGMENT = 400;

  private FragmentProtocol() {}
}
