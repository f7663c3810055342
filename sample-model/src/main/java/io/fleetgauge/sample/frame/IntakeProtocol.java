package io.fleetgauge.sample.frame;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The HTTP protocol by which frames are sent to a gateway. Probes, gateways and load generators
 * take paths and header names from here and nowhere else; {@link IntakeAnswer} has the responses.
 *
 * <pre>
 * POST /v1/hosts/HOST/frames              the host as {@link #hostPath} writes it
 *   Content-Type: application/octet-stream
 *   Authorization: Bearer TOKEN           where the gateway requires tokens
 *   X-Fleetgauge-Epoch: EPOCH             newest epoch of the table that the sender knows; 0 for none
 *   X-Fleetgauge-Acknowledged: SEQUENCE   last sequence of the first frame's run that a gateway
 *                                         acknowledged to the sender; 0 for none
 *
 *   one or more frames of the host, oldest first, without anything between them
 *
 * 200 400 409 421 429 503                 one line of {@link IntakeAnswer}, text/plain; with 429
 *                                         and 503 also Retry-After, in seconds
 * 401 403                                 the token is unknown or lacks the write permission
 * 413                                     the body is larger than the gateway allows
 * </pre>
 */
public final class IntakeProtocol {
  /** The path as a route pattern; {@code host} is its parameter. */
  public static final String ROUTE = "/v1/hosts/:host/frames";

  /** Header: the newest epoch of the ownership table that the sender knows. */
  public static final String EPOCH = "X-Fleetgauge-Epoch";

  /** Header: the last sequence of the body's run that a gateway acknowledged to the sender. */
  public static final String ACKNOWLEDGED = "X-Fleetgauge-Acknowledged";

  /**
   * Header of a remote write whose samples were derived from those of hosts, as results of rules
   * are: nobody takes them for a sign that the hosts have sent what they had. What cannot be stored
   * of them does not prevent the rest.
   */
  public static final String DERIVED = "X-Fleetgauge-Derived";

  /** Header of the answer to a remote write: how many numbers are stored of it. */
  public static final String SAMPLES_WRITTEN = "X-Prometheus-Remote-Write-Samples-Written";

  /** Header of the answer to a remote write: how many histograms are stored of it. */
  public static final String HISTOGRAMS_WRITTEN = "X-Prometheus-Remote-Write-Histograms-Written";

  /** Content type of a body of frames. */
  public static final String FRAMES_TYPE = "application/octet-stream";

  /** Content type of an {@link IntakeAnswer}. */
  public static final String ANSWER_TYPE = "text/plain";

  /** Status of a body that is larger than the gateway allows; it carries no answer line. */
  public static final int TOO_LARGE = 413;

  /**
   * Longest name of a host, percent-encoded: it names a folder too, and file systems have names of
   * 255 bytes.
   */
  public static final int MAX_HOST_LENGTH = 250;

  /** Before a host's name that would not be a segment of a path as it is. */
  private static final String MARK = "~";

  /**
   * The run of the frames of a page: samples of a host that no sender sends. A page contains its
   * dictionary, so the run has no meaning outside it.
   */
  public static final long PAGE_RUN = 0x7067_6070_6167_6501L;

  private IntakeProtocol() {}

  /** Where the frames of a host are posted. */
  public static String path(String host) {
    return hostPath(host, "frames");
  }

  /**
   * A path below a host; gateways have more of them among themselves.
   *
   * <p>The host's name is percent-encoded. Before an empty name, the names {@code .} and {@code
   * ..}, and those that begin with {@code ~}, there is a {@code ~}: clients, proxies and routers
   * remove empty segments and those of dots from a path, percent-encoded ones too.
   *
   * @param host the host's name as it is
   * @param rest what follows, encoded already
   */
  public static String hostPath(String host, String rest) {
    boolean isMarked =
        host.isEmpty() || host.equals(".") || host.equals("..") || host.startsWith(MARK);
    return "/v1/hosts/" + (isMarked ? MARK : "") + encoded(host) + "/" + rest;
  }

  private static String encoded(String host) {
    // A form encodes a blank as a plus, which a path does not.
    return URLEncoder.encode(host, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** The problem with the name of a host; empty when there is none. */
  public static String hostProblem(String host) {
    int length = encoded(host).length();
    return length <= MAX_HOST_LENGTH
        ? ""
        : "the name of host "
            + host.substring(0, host.offsetByCodePoints(0, 20))
            + "... has "
            + length
            + " bytes when it is percent-encoded, allowed are "
            + MAX_HOST_LENGTH
            + ": send a shorter one";
  }

  /**
   * The host that a path names.
   *
   * @param segment what {@link #hostPath} wrote for it, no longer percent-encoded
   */
  public static String host(String segment) {
    return segment.startsWith(MARK) ? segment.substring(MARK.length()) : segment;
  }

  /** Value of Retry-After for a pause: whole seconds, at least the pause. */
  public static long retryAfterSeconds(long millis) {
    return 1 + millis / 1_000;
  }
}
