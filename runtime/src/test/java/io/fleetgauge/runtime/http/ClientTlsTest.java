package io.fleetgauge.runtime.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.config.TrustSettings;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClientTlsTest {
  private final Path any = Path.of("/any.pem");

  @Test
  void aServersNameOrAddressMustStandInItsCertificate() {
    ClientSSLOptions options = ClientTls.ofCluster(TrustSettings.NONE).options();
    assertThat(options.getHostnameVerificationAlgorithm()).isEqualTo("HTTPS");
    assertThat(options.getTrustOptions()).as("the authorities of the JDK").isNull();
    assertThat(options.getKeyCertOptions()).isNull();
  }

  @Test
  void trustNamesTheAuthorityAndTheCertificateOfThisProcess() {
    ClientSSLOptions options =
        new ClientTls("any", Optional.of(any), Optional.of(any), Optional.of(any), false).options();
    assertThat(((PemTrustOptions) options.getTrustOptions()).getCertPaths())
        .containsExactly(any.toString());
    PemKeyCertOptions own = (PemKeyCertOptions) options.getKeyCertOptions();
    assertThat(own.getCertPath()).isEqualTo(any.toString());
    assertThat(own.getKeyPath()).isEqualTo(any.toString());
  }

  @Test
  void anUnverifiedServerMayHaveAnyCertificateAndAnyName() {
    AccessSettings settings =
        new AccessSettings(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            true);
    ClientSSLOptions options = ClientTls.ofExternal("scrape.x", settings).options();
    assertThat(options.isTrustAll()).isTrue();
    assertThat(options.getHostnameVerificationAlgorithm()).isEmpty();
  }
}
