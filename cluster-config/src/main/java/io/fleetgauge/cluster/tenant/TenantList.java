package io.fleetgauge.cluster.tenant;

import io.fleetgauge.cluster.config.TenantLimits;
import io.fleetgauge.cluster.config.key.ConfigException;
import io.fleetgauge.cluster.config.key.ConfigReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The file of tenants.
 *
 * @param tenants {@code tenants}: by name
 * @param proxies {@code proxies}: networks such as 10.0.0.0/8 whose {@code X-Scope-OrgID} is
 *     believed without a token
 */
public record TenantList(Map<String, TenantSettings> tenants, List<Network> proxies) {
  /**
   * Addresses that begin alike.
   *
   * @param bits how many bits
   */
  public record Network(List<Byte> address, int bits) {
    /** Whether an address, as bytes, is in it. */
    public boolean contains(byte[] other) {
      if (other.length != address.size()) {
        return false;
      }
      for (int i = 0; i < bits; i++) {
        int mask = 0x80 >> (i & 7);
        if ((other[i >> 3] & mask) != (address.get(i >> 3) & mask)) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * @param source what messages call the text
   * @param base the limits of a tenant that says none
   * @param scopeProblem what is wrong with a selector; empty when nothing is
   * @throws ConfigException with every problem there is
   */
  public static TenantList read(
      String source, String yaml, TenantLimits base, Function<String, String> scopeProblem)
      throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    Map<String, TenantSettings> tenants = new TreeMap<>();
    Map<String, String> owners = new HashMap<>();
    for (String name : in.keys("tenants")) {
      TenantSettings tenant = TenantSettings.read(in, name, base, scopeProblem);
      tenants.put(name, tenant);
      for (TokenSettings token : tenant.tokens().values()) {
        String here = "tenants." + name + ".tokens." + token.name();
        String other = token.sha256().isEmpty() ? null : owners.put(token.sha256(), here);
        if (other != null) {
          in.problem(here + ": the same token is that of " + other);
        }
      }
    }
    if (tenants.isEmpty()) {
      in.problem("tenants: there is none, so nobody could ask for anything");
    }
    List<Network> proxies = new ArrayList<>();
    for (String text : in.texts("proxies", List.of())) {
      Network network = network(text);
      if (network == null) {
        in.problem("proxies: " + text + " is no network such as 10.0.0.0/8 or fd00::/8");
      } else {
        proxies.add(network);
      }
    }
    in.finish();
    return new TenantList(Map.copyOf(tenants), List.copyOf(proxies));
  }

  private static Network network(String text) {
    String[] parts = text.split("/", -1);
    // Only literals: a name would be looked up in the network.
    if (parts.length > 2 || !parts[0].matches("[0-9a-fA-F:.]+") || !parts[0].matches(".*[:.].*")) {
      return null;
    }
    try {
      byte[] address = InetAddress.getByName(parts[0]).getAddress();
      int all = 8 * address.length;
      int bits = parts.length == 1 ? all : Integer.parseInt(parts[1]);
      List<Byte> bytes = new ArrayList<>();
      for (byte each : address) {
        bytes.add(each);
      }
      return bits < 0 || bits > all ? null : new Network(List.copyOf(bytes), bits);
    } catch (UnknownHostException | NumberFormatException e) {
      return null;
    }
  }
}
