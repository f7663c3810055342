package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuardTest {
  @TempDir private Path folder;
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(120, TimeUnit.SECONDS);
  }

  private Guard open(HttpSettings http, Optional<Path> tenants, Optional<Path> secret)
      throws StartFailure {
    return Guard.open(
        vertx,
        http,
        tenants,
        TrustSettings.ofSecret(secret),
        TenantLimits.DEFAULT,
        scope -> "",
        () -> 0);
  }

  @Test
  void withoutTokensAProcessListensOnLoopbackOnlyUnlessInsecureIsSet() throws StartFailure {
    HttpSettings everywhere = new HttpSettings("0.0.0.0", 0);
    assertThatThrownBy(() -> open(everywhere, Optional.empty(), Optional.empty()))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("http.host 0.0.0.0")
        .hasMessageContaining("tenants.file")
        .hasMessageContaining("--insecure");
    assertThat(open(everywhere.openToAll(), Optional.empty(), Optional.empty()).access().isOpen())
        .isTrue();
    assertThat(
            open(new HttpSettings("127.0.0.1", 0), Optional.empty(), Optional.empty())
                .access()
                .isOpen())
        .isTrue();
  }

  @Test
  void aWrongTenantsFileOrSecretStopsTheStart() throws Exception {
    HttpSettings everywhere = new HttpSettings("0.0.0.0", 0);
    Path wrong = Files.writeString(folder.resolve("wrong.yaml"), "tenants: {a: {colour: red}}");
    assertThatThrownBy(() -> open(everywhere, Optional.of(wrong), Optional.empty()))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("tenants.a.colour: no such key");
    Path good = Files.writeString(folder.resolve("good.yaml"), "tenants: {a: {}}");
    assertThat(open(everywhere, Optional.of(good), Optional.empty()).access().isOpen()).isFalse();
    Path small = Files.writeString(folder.resolve("secret"), "short");
    assertThatThrownBy(() -> open(everywhere, Optional.of(good), Optional.of(small)))
        .hasMessageContaining("16 characters")
        .hasMessageContaining("cluster.secretFile");
  }
}
