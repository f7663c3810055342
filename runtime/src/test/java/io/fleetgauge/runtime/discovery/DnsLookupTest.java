package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.fleetgauge.runtime.discovery.BadAnswer.Reason;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** With a real name server. */
@ExtendWith(VertxExtension.class)
class DnsLookupTest {
  private static final ResolverFile PLAIN = new ResolverFile(List.of("127.0.0.1"), List.of(), 1);

  @TempDir private Path folder;
  private NameServer server;
  private Vertx vertx;

  @BeforeEach
  void start(Vertx loops) throws Exception {
    vertx = loops;
    server = new NameServer(folder);
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  private static DiscoverySettings settings(boolean isTls) {
    return new DiscoverySettings(
        DiscoverySettings.OF_MEMBERS,
        new Source.Addresses(List.of(), 1, Optional.empty()),
        Duration.ofSeconds(5),
        Duration.ofSeconds(1),
        Optional.empty(),
        1_000,
        1 << 20,
        isTls);
  }

  private List<String> ask(Lookup lookup) throws Exception {
    try (lookup) {
      return lookup.ask().await(120, TimeUnit.SECONDS).addresses();
    }
  }

  private List<String> addresses(ResolverFile resolver, String... names) throws Exception {
    return ask(
        new DnsLookup(
            vertx,
            settings(false),
            List.of(names),
            OptionalInt.of(5701),
            List.of(server.address()),
            resolver));
  }

  private List<String> services(boolean isTls, String name) throws Exception {
    return ask(
        new DnsLookup(
            vertx,
            settings(isTls),
            List.of(name),
            OptionalInt.empty(),
            List.of(server.address()),
            PLAIN));
  }

  private Reason reason(String... names) {
    Throwable failure = catchThrowable(() -> addresses(PLAIN, names));
    assertThat(failure).isInstanceOf(BadAnswer.class);
    return ((BadAnswer) failure).reason();
  }

  @Test
  void addressesOfBothKindsAreFoundOfAllNames() throws Exception {
    server.start(
        List.of("10.0.0.2 a.test", "10.0.0.1 a.test", "fd00::1 a.test", "10.0.0.3 b.test"));
    assertThat(addresses(PLAIN, "a.test", "b.test."))
        .containsExactly(
            "10.0.0.1:5701", "10.0.0.2:5701", "10.0.0.3:5701", "[fd00:0:0:0:0:0:0:1]:5701");
    server.hosts(List.of("10.0.0.9 a.test"));
    assertThat(addresses(PLAIN, "a.test", "b.test")).containsExactly("10.0.0.9:5701");
  }

  @Test
  void anAnswerThatDoesNotFitIntoADatagramComesOverTcp() throws Exception {
    server.start(
        IntStream.range(0, 300)
            .mapToObj(i -> "10.0.%d.%d many.test".formatted(i / 250, i % 250 + 1))
            .toList());
    assertThat(addresses(PLAIN, "many.test")).hasSize(300);
  }

  @Test
  void anAliasIsFollowed() throws Exception {
    server.start(
        List.of("10.0.0.1 a.test"), "--cname=alias.test,second.test", "--cname=second.test,a.test");
    assertThat(addresses(PLAIN, "alias.test")).containsExactly("10.0.0.1:5701");
  }

  @Test
  void aNameIsCompletedWithTheDomainsOfTheMachine() throws Exception {
    server.start(List.of("10.0.0.1 gateway.ns.svc.test", "10.0.0.2 gateway.ns.test"));
    ResolverFile pod = new ResolverFile(List.of(), List.of("svc.test", "none.test", "test"), 5);
    assertThat(addresses(pod, "gateway.ns")).containsExactly("10.0.0.1:5701");
    assertThat(addresses(pod, "gateway.ns.test")).containsExactly("10.0.0.2:5701");
    assertThat(addresses(pod, "gateway.ns.test.")).containsExactly("10.0.0.2:5701");
  }

  @Test
  void servicesTellTheirPorts() throws Exception {
    server.start(
        List.of("10.0.0.1 g1.test", "10.0.0.2 g2.test"),
        "--srv-host=_members._tcp.test,g1.test,5701,1,1",
        "--srv-host=_members._tcp.test,g2.test,5702,2,1");
    assertThat(services(false, "_members._tcp.test"))
        .containsExactly("10.0.0.1:5701", "10.0.0.2:5702");
    assertThat(services(true, "_members._tcp.test"))
        .as("certificates have names")
        .containsExactly("g1.test:5701", "g2.test:5702");
  }

  @Test
  void aNameThatDoesNotExistIsAnEmptyAnswer() throws Exception {
    server.start(List.of("10.0.0.1 a.test"));
    assertThat(reason("none.test")).isEqualTo(Reason.EMPTY);
    assertThat(addresses(PLAIN, "none.test", "a.test")).containsExactly("10.0.0.1:5701");
  }

  @Test
  void anErrorForOneNameIsAnErrorForAll() throws Exception {
    server.start(List.of("10.0.0.1 a.test"));
    assertThat(reason("a.test", "a.example.org")).isEqualTo(Reason.REFUSED);
  }

  @Test
  void aServerThatRefusesIsFollowedByTheNext() throws Exception {
    server.start(List.of("10.0.0.1 a.test"));
    Path other = Files.createDirectory(folder.resolve("other"));
    try (NameServer next = new NameServer(other)) {
      next.start(List.of("10.0.0.2 a.example.org"));
      Lookup lookup =
          new DnsLookup(
              vertx,
              settings(false),
              List.of("a.example.org"),
              OptionalInt.of(1),
              List.of(server.address(), next.address()),
              PLAIN);
      assertThat(lookup.whom())
          .isEqualTo("DNS for a.example.org at " + server.address() + ", " + next.address());
      assertThat(ask(lookup)).containsExactly("10.0.0.2:1");
    }
  }

  @Test
  void aNameServerWhoseNameIsNotKnownIsAnAnswerThatSaysSo() {
    Throwable failure =
        catchThrowable(
            () ->
                ask(
                    new DnsLookup(
                        vertx,
                        settings(false),
                        List.of("a.test"),
                        OptionalInt.of(1),
                        List.of("[::g]:53"),
                        PLAIN)));
    assertThat(failure).hasMessage("the name server [[::g]:53] is not known");
  }

  @Test
  void aServiceThatIsNotOfferedHasNoAddresses() throws Exception {
    server.start(
        List.of("10.0.0.1 g1.test"),
        "--srv-host=_none._tcp.test",
        "--srv-host=_some._tcp.test,g1.test,5701,1,1",
        "--srv-host=_gone._tcp.test,gone.test,5701,1,1");
    for (String service : List.of("_none._tcp.test", "_gone._tcp.test", "_no._tcp.test")) {
      assertThat(catchThrowable(() -> services(false, service)))
          .as(service)
          .isInstanceOfSatisfying(
              BadAnswer.class, e -> assertThat(e.reason()).isEqualTo(Reason.EMPTY));
    }
    assertThat(services(false, "_some._tcp.test")).containsExactly("10.0.0.1:5701");
  }

  @Tag("slow")
  @Test
  void aServerThatIsSilentIsFollowedByTheNext() throws Exception {
    server.start(List.of("10.0.0.1 a.test"));
    try (var silent = new DatagramSocket(new InetSocketAddress("127.0.0.1", 0))) {
      String first = "127.0.0.1:" + silent.getLocalPort();
      assertThat(
              ask(
                  new DnsLookup(
                      vertx,
                      settings(false),
                      List.of("a.test"),
                      OptionalInt.of(1),
                      List.of(first, server.address()),
                      PLAIN)))
          .containsExactly("10.0.0.1:1");
      assertThat(
              catchThrowable(
                  () ->
                      ask(
                          new DnsLookup(
                              vertx,
                              settings(false),
                              List.of("a.test"),
                              OptionalInt.of(1),
                              List.of(first),
                              PLAIN))))
          .hasMessageContaining("timed out");
    }
  }
}
