package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResolverFileTest {
  @Test
  void theFileOfAPodIsRead() {
    ResolverFile file =
        ResolverFile.parse(
            List.of(
                "# comment",
                "nameserver 10.96.0.10 ; the cluster's",
                "nameserver fd00::a%eth0",
                "search ns.svc.cluster.local svc.cluster.local cluster.local",
                "options ndots:5 edns0"));
    assertThat(file)
        .isEqualTo(
            new ResolverFile(
                List.of("10.96.0.10", "fd00::a"),
                List.of("ns.svc.cluster.local", "svc.cluster.local", "cluster.local"),
                5));
    assertThat(file.candidates("a.b"))
        .containsExactly(
            "a.b.ns.svc.cluster.local.", "a.b.svc.cluster.local.", "a.b.cluster.local.", "a.b.");
    assertThat(file.candidates("a.b.")).containsExactly("a.b.");
    assertThat(file.candidates("a.b.c.d.e.f").getFirst()).isEqualTo("a.b.c.d.e.f.");
    assertThat(DnsLookup.servers(file)).containsExactly("10.96.0.10:53", "[fd00::a]:53");
  }

  @Test
  void withoutAFileTheMachineItselfIsAsked() {
    ResolverFile file = ResolverFile.read(Path.of("/no/such/file"));
    assertThat(file).isEqualTo(new ResolverFile(List.of("127.0.0.1"), List.of(), 1));
    assertThat(ResolverFile.parse(List.of("nameserver", "options ndots:99", "search", "?")).ndots())
        .isEqualTo(15);
  }

  @Test
  void aCommentOfOtherBytesThanUtf8CostsNothing(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("resolv.conf");
    Files.write(file, "# caf\u00e9\nnameserver 10.0.0.1\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(ResolverFile.read(file).servers()).containsExactly("10.0.0.1");
  }
}
