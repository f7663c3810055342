package io.fleetgauge.promql.fragment;

/**
 * The exchange of a {@link Fragment} and its answer over HTTP; {@link FragmentCodec} has the
 * bodies.
 *
 * <pre>
 * POST /v1/fragments
 *
 * 200    the encoded {@link FragmentAnswer}
 * 400    the body is not a fragment, or one of another version
 * 422    the fragment reads more samples than it may
 * 503    the gateway is short of memory; Retry-After, in seconds
 * </pre>
 */
public final class FragmentProtocol {
  public static final String PATH = "/v1/fragments";

  private FragmentProtocol() {}
}
