package io.fleetgauge.query.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.sample.relabel.Relabelling;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NotificationSettingsTest {
  @TempDir private Path folder;

  private static NotificationSettings read(String yaml) throws ConfigException {
    return QueryConfig.read("query.yaml", yaml).notifications();
  }

  @Test
  void everyKeyIsRead() throws Exception {
    Path file = Files.writeString(folder.resolve("any"), "any");
    NotificationSettings settings =
        read(
            """
            rules:
              notifications:
                queue: 11
                batch: 12
                drain: 13s
                relabel: [{regex: replica, action: labeldrop}]
              alertmanagers:
                found:
                  discovery: {method: srv, scheme: https, dns: {names: [_am._tcp.example]}}
                  pathPrefix: /am/
                listed:
                  urls: ["http://a", "https://[::1]:9093/x/"]
                  timeout: 3s
                  tenants: [ml]
                  userFile: FILE
                  tls: {ca: FILE, certificate: FILE, key: FILE, insecure: true}
                  relabel: [{regex: rack, action: labeldrop}]
            """
                .replace("FILE", file.toString()));
    assertThat(settings.queue()).isEqualTo(11);
    assertThat(settings.batch()).isEqualTo(12);
    assertThat(settings.drain()).isEqualTo(Duration.ofSeconds(13));
    assertThat(settings.relabelling().rules()).hasSize(1);
    AlertmanagerSettings found = settings.alertmanagers().getFirst();
    assertThat(found.name()).isEqualTo("found");
    assertThat(found.pathPrefix()).isEqualTo("/am");
    assertThat(found.urls()).isEmpty();
    assertThat(found.timeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(found.relabelling()).isEqualTo(Relabelling.NONE);
    assertThat(found.access()).isEqualTo(AccessSettings.NONE);
    DiscoverySettings discovery = found.discovery().orElseThrow();
    assertThat(discovery.isTls()).isTrue();
    assertThat(discovery.section()).isEqualTo("rules.alertmanagers.found.discovery");
    assertThat(discovery.cache()).isEmpty();
    assertThat(discovery.source())
        .isEqualTo(
            new DiscoverySettings.Source.Services(List.of("_am._tcp.example"), Optional.empty()));
    AlertmanagerSettings listed = settings.alertmanagers().get(1);
    assertThat(listed.urls())
        .containsExactly(URI.create("http://a:80"), URI.create("https://[::1]:9093/x"));
    assertThat(listed.timeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(listed.tenants()).containsExactly("ml");
    assertThat(listed.relabelling().rules()).hasSize(1);
    assertThat(listed.access())
        .isEqualTo(
            new AccessSettings(
                Optional.empty(),
                Optional.of(file),
                Optional.of(file),
                Optional.of(file),
                Optional.of(file),
                true));
  }

  @Test
  void everyProblemIsNamed() throws Exception {
    Path file = Files.writeString(folder.resolve("any"), "any");
    assertThatThrownBy(
            () ->
                read(
                    """
                    rules:
                      notifications: {queue: 0}
                      alertmanagers:
                        none: {timeout: 1s}
                        wrong: {urls: ["ftp://a", "http://a?b=c"]}
                        both: {urls: ["http://a"], tokenFile: FILE, userFile: FILE}
                        half: {urls: ["http://a"], tls: {key: FILE}}
                        path: {urls: ["http://a"], pathPrefix: "a b"}
                        "na me": {urls: ["http://a"]}
                        idle: {urls: ["http://a"], discovery: {port: 9}}
                    """
                        .replace("FILE", file.toString())))
        .hasMessageContaining("rules.notifications.queue: 0 is not allowed")
        .hasMessageContaining("rules.alertmanagers.none: urls or discovery.method is needed")
        .hasMessageContaining("ftp://a")
        .hasMessageContaining("http://a?b=c")
        .hasMessageContaining("rules.alertmanagers.both: only one of tokenFile and userFile")
        .hasMessageContaining("rules.alertmanagers.half.tls: certificate and key are both needed")
        .hasMessageContaining("rules.alertmanagers.path.pathPrefix")
        .hasMessageContaining("rules.alertmanagers: the name na me is not allowed")
        .hasMessageContaining(
            "rules.alertmanagers.idle.discovery.port: the key has no effect without");
  }
}
