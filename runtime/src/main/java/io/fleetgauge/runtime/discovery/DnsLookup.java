package io.fleetgauge.runtime.discovery;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.dns.DnsClient;
import io.vertx.core.dns.DnsClientOptions;
import io.vertx.core.dns.DnsException;
import io.vertx.core.dns.DnsResponseCode;
import io.vertx.core.dns.SrvRecord;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Asks DNS for A and AAAA records, or for SRV records. Over UDP, and over TCP for what does not fit
 * there. Each name server is asked in turn until one answers.
 */
final class DnsLookup implements Lookup {
  private static final int DNS_PORT = 53;
  private static final int MAX_ALIASES = 8;
  private static final int MAX_SERVERS = 3;

  private final DiscoverySettings settings;
  private final List<String> names;
  private final OptionalInt port;
  private final ResolverFile resolver;
  private final List<Server> servers = new ArrayList<>();
  private final List<String> unknown = new ArrayList<>();

  private record Server(String name, DnsClient client) {}

  /** The answer of a name server about a name: some records, or that there is none. */
  private record Records<T>(List<T> all) {}

  /**
   * @param port of each address; empty for that of SRV records
   * @param addresses of name servers, {@code host:port} each
   */
  DnsLookup(
      Vertx vertx,
      DiscoverySettings settings,
      List<String> names,
      OptionalInt port,
      List<String> addresses,
      ResolverFile resolver) {
    this.settings = settings;
    this.names = names;
    this.port = port;
    this.resolver = resolver;
    // All of them together have the time of one question.
    long timeout = settings.timeout().toMillis() / addresses.size();
    for (String address : addresses) {
      int colon = address.lastIndexOf(':');
      String host = address.substring(0, colon).replaceAll("[\\[\\]]", "");
      try {
        DnsClientOptions options =
            new DnsClientOptions()
                .setHost(InetAddress.getByName(host).getHostAddress())
                .setPort(Integer.parseInt(address.substring(colon + 1)))
                .setQueryTimeout(Math.max(50, timeout));
        servers.add(new Server(address, vertx.createDnsClient(options)));
      } catch (UnknownHostException e) {
        unknown.add(address); // there is nobody to ask, which each question says
      }
    }
  }

  /** Those of the machine. */
  static List<String> servers(ResolverFile resolver) {
    return resolver.servers().stream()
        .limit(MAX_SERVERS)
        .map(host -> (host.contains(":") ? "[" + host + "]" : host) + ":" + DNS_PORT)
        .toList();
  }

  @Override
  public Future<Addresses> ask() {
    AddressList list = new AddressList(settings.maxAddresses());
    Future<Void> all = Future.succeededFuture();
    for (String name : names) {
      all = all.compose(before -> port.isPresent() ? addresses(name, list) : services(name, list));
    }
    return all.compose(
        done -> {
          try {
            return Future.succeededFuture(list.found());
          } catch (BadAnswer e) {
            return Future.failedFuture(e);
          }
        });
  }

  private Future<Void> addresses(String name, AddressList list) {
    return firstKnown(resolver.candidates(name), 0, each -> hosts(each, 0))
        .compose(found -> add(found.all(), port.getAsInt(), list));
  }

  private Future<Void> services(String name, AddressList list) {
    return firstKnown(resolver.candidates(name), 0, each -> ask(client -> client.resolveSRV(each)))
        .compose(
            found -> {
              Future<Void> all = Future.succeededFuture();
              for (SrvRecord record : found.all()) {
                if (record.target() == null) {
                  continue; // the root: the service is not offered at this domain
                }
                String target = record.target().replaceFirst("\\.$", "");
                if (settings.isTls()) {
                  // Certificates have names.
                  all = all.compose(before -> add(List.of(target), record.port(), list));
                } else {
                  all =
                      all.compose(before -> hosts(target + ".", 0))
                          .compose(hosts -> add(hosts.all(), record.port(), list));
                }
              }
              return all;
            });
  }

  private static Future<Void> add(List<String> hosts, int port, AddressList list) {
    try {
      for (String host : hosts) {
        list.add(host, port);
      }
      return Future.succeededFuture();
    } catch (BadAnswer e) {
      return Future.failedFuture(e);
    }
  }

  private <T> Future<Records<T>> firstKnown(
      List<String> candidates, int index, Function<String, Future<Records<T>>> question) {
    return question
        .apply(candidates.get(index))
        .compose(
            found ->
                found.all().isEmpty() && index + 1 < candidates.size()
                    ? firstKnown(candidates, index + 1, question)
                    : Future.succeededFuture(found));
  }

  /**
   * Addresses of either kind: where one kind is answered, a failure of the other does not count.
   */
  private Future<Records<String>> hosts(String name, int aliases) {
    Future<Records<String>> ipv4 = ask(client -> client.resolveA(name));
    Future<Records<String>> ipv6 = ask(client -> client.resolveAAAA(name));
    return Future.join(ipv4, ipv6)
        .transform(
            both -> {
              List<String> found = new ArrayList<>();
              if (ipv4.succeeded()) {
                found.addAll(ipv4.result().all());
              }
              if (ipv6.succeeded()) {
                found.addAll(ipv6.result().all());
              }
              if (!found.isEmpty()) {
                return Future.succeededFuture(new Records<>(found));
              }
              if (ipv4.failed() || ipv6.failed()) {
                return Future.failedFuture(ipv4.failed() ? ipv4.cause() : ipv6.cause());
              }
              return aliases < MAX_ALIASES
                  ? ofAlias(name, aliases)
                  : Future.succeededFuture(none());
            });
  }

  /** Vert.x leaves out records of the name that an alias stands for. */
  private Future<Records<String>> ofAlias(String name, int aliases) {
    return ask(client -> client.resolveCNAME(name))
        .compose(
            found ->
                found.all().isEmpty()
                    ? Future.succeededFuture(none())
                    : hosts(found.all().getFirst().replaceFirst("\\.?$", "."), aliases + 1));
  }

  private static <T> Records<T> none() {
    return new Records<>(List.of());
  }

  private <T> Future<Records<T>> ask(Function<DnsClient, Future<List<T>>> question) {
    return servers.isEmpty()
        ? Future.failedFuture(
            new BadAnswer(Reason.UNREACHABLE, "the name server " + unknown + " is not known"))
        : ask(0, question);
  }

  private <T> Future<Records<T>> ask(int index, Function<DnsClient, Future<List<T>>> question) {
    return question
        .apply(servers.get(index).client())
        .map(Records::new)
        .recover(
            failure -> {
              if (failure instanceof DnsException answer
                  && answer.code() == DnsResponseCode.NXDOMAIN) {
                return Future.succeededFuture(none());
              }
              return index + 1 < servers.size()
                  ? ask(index + 1, question)
                  : Future.failedFuture(
                      failure instanceof DnsException answer
                          ? new BadAnswer(
                              Reason.REFUSED, "the name server responds with " + answer.code())
                          : failure);
            });
  }

  @Override
  public String whom() {
    return "DNS for "
        + String.join(", ", names)
        + " at "
        + String.join(", ", servers.stream().map(Server::name).toList());
  }

  @Override
  public void close() {
    servers.forEach(server -> server.client().close());
  }
}
