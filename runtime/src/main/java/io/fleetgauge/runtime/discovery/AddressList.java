package io.fleetgauge.runtime.discovery;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import io.fleetgauge.runtime.yaml.BadYaml;
import io.fleetgauge.runtime.yaml.YamlTree;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Addresses as {@code host:port}, sorted and each once. Not for several threads. */
final class AddressList {
  private static final int SHOWN = 80;
  private static final Pattern NAME_OR_IPV4 =
      Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}");
  private static final Pattern WRITTEN =
      Pattern.compile("(?<host>\\[[^\\]]*\\]|[^:\\[\\]]+)(:(?<port>\\d{1,5}))?");
  private static final int MAX_PORT = 65_535;

  private final TreeSet<String> all = new TreeSet<>();
  private final int max;
  private int leftOut;
  private String firstLeftOut = "";

  /**
   * @param max most addresses
   */
  AddressList(int max) {
    this.max = max;
  }

  /**
   * Adds an address; leaves out what cannot be one.
   *
   * @param host a name or an IP address
   * @throws BadAnswer if it is one too many
   */
  void add(String host, int port) throws BadAnswer {
    boolean isIpv6 = host.contains(":") && IPV6.matcher(host).matches();
    if (!isIpv6 && !NAME_OR_IPV4.matcher(host).matches()) {
      leaveOut(shown(host) + " is not the name or address of a host");
      return;
    }
    if (port < 1 || port > MAX_PORT) {
      leaveOut(port + " is not a port; allowed is 1 to " + MAX_PORT);
      return;
    }
    all.add((isIpv6 ? "[" + host + "]" : host) + ":" + port);
    if (all.size() > max) {
      throw new BadAnswer(
          Reason.TOO_MANY, "there are more than maxAddresses, " + max + ", addresses");
    }
  }

  /**
   * Adds an address that is written as {@code host} or {@code host:port}, with brackets around an
   * IPv6 address.
   */
  void add(String written, String what, int defaultPort) throws BadAnswer {
    Matcher parts = WRITTEN.matcher(written);
    if (!parts.matches()) {
      leaveOut(what + " is " + shown(written) + "; expected host or host:port");
      return;
    }
    String host = parts.group("host");
    String port = parts.group("port");
    add(
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        port == null ? defaultPort : Integer.parseInt(port));
  }

  /**
   * Leaves out an entry: it costs no other one.
   *
   * @param why what is wrong with it
   */
  void leaveOut(String why) {
    if (leftOut++ == 0) {
      firstLeftOut = why;
    }
  }

  /**
   * @throws BadAnswer if there is none
   */
  Lookup.Addresses found() throws BadAnswer {
    if (all.isEmpty()) {
      throw leftOut == 0
          ? new BadAnswer(Reason.EMPTY, "the response has no address")
          : new BadAnswer(Reason.MALFORMED, firstLeftOut);
    }
    return new Lookup.Addresses(
        List.copyOf(all),
        leftOut == 0
            ? Optional.empty()
            : Optional.of(
                leftOut == 1
                    ? "an entry is left out: " + firstLeftOut
                    : leftOut + " entries are left out, the first because " + firstLeftOut));
  }

  /**
   * Reads a file: a list of addresses in YAML or JSON, or the form of Prometheus's {@code
   * file_sd_configs}.
   *
   * @param defaultPort of an address without one
   */
  static Lookup.Addresses ofFile(byte[] bytes, int defaultPort, int max) throws BadAnswer {
    AddressList list = new AddressList(max);
    JsonNode tree = tree(bytes);
    if (tree.isMissingNode()) {
      return list.found();
    }
    if (!tree.isArray()) {
      throw new BadAnswer(Reason.MALFORMED, "a list is expected");
    }
    for (JsonNode item : tree) {
      if (item.isTextual()) {
        list.add(item.textValue(), "an item", defaultPort);
      } else if (item.path("targets").isArray()) {
        for (JsonNode target : item.path("targets")) {
          list.add(target.isTextual() ? target.textValue() : "", "a target", defaultPort);
        }
      } else {
        list.leaveOut(
            "an item is "
                + shown(item.toString())
                + "; expected an address, or a map with targets");
      }
    }
    return list.found();
  }

  private static JsonNode tree(byte[] bytes) throws BadAnswer {
    try {
      return YamlTree.read(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      throw new BadAnswer(Reason.MALFORMED, "it is not text in UTF-8");
    } catch (BadYaml e) {
      throw new BadAnswer(Reason.MALFORMED, "it is neither YAML nor JSON: " + e.getMessage());
    }
  }

  /** For messages: the beginning, in one line. */
  static String shown(String text) {
    String line = text.replaceAll("\\p{Cntrl}", "?");
    return line.length() <= SHOWN ? "\"" + line + "\"" : "\"" + line.substring(0, SHOWN) + "...\"";
  }

  /** The beginning of a body, for messages. */
  static String shown(byte[] body) {
    return shown(new String(body, 0, Math.min(body.length, 4 * SHOWN), StandardCharsets.UTF_8));
  }

  /** Both lists, each address once, in order. */
  static List<String> union(List<String> first, List<String> second) {
    List<String> all = new ArrayList<>(first);
    second.stream().filter(each -> !first.contains(each)).forEach(all::add);
    return List.copyOf(all);
  }
}
