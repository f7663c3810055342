package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where Consul is reached, and how.
 *
 * @param address of its HTTP API
 * @param datacenter empty for that of the agent
 * @param tokenFile file with the ACL token; it is read for each request
 * @param ca signs the certificate of the API
 * @param certificate shown to the API
 * @param key of that certificate
 */
public record ConsulApi(
    URI address,
    Optional<String> datacenter,
    Optional<Path> tokenFile,
    Optional<Path> ca,
    Optional<Path> certificate,
    Optional<Path> key) {
  private static final Pattern URL =
      Pattern.compile("https?://([^/:?#\\s@\\[\\]]+|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5}");

  /** The address of an API. */
  static KeyType<URI> url() {
    return KeyType.form(
        "address",
        "http://host:port or https://host:port",
        URI::toString,
        text -> Optional.of(text).filter(URL.asMatchPredicate()).map(URI::create));
  }

  static ConsulApi read(ConfigReader in, String section) {
    Keys keys = new Keys(section);
    ConsulApi api =
        new ConsulApi(
            in.get(keys.address),
            in.find(keys.datacenter),
            in.find(keys.tokenFile),
            in.find(keys.ca),
            in.find(keys.certificate),
            in.find(keys.privateKey));
    if (api.certificate.isPresent() != api.key.isPresent()) {
      in.problem(
          keys.certificate.name()
              + ": "
              + keys.certificate.name()
              + " and "
              + keys.privateKey.name()
              + " are both needed, or none");
    }
    return api;
  }

  static List<Key<?>> keys(String section) {
    return new Keys(section).all();
  }

  /** The keys of one section. */
  private static final class Keys {
    final Key<URI> address;
    final Key<String> datacenter;
    final Key<Path> tokenFile;
    final Key<Path> ca;
    final Key<Path> certificate;
    final Key<Path> privateKey;

    Keys(String section) {
      address =
          Key.of(
              section + "api",
              url(),
              URI.create("http://127.0.0.1:8500"),
              "Address of Consul's HTTP API.");
      datacenter =
          Key.derived(
              section + "datacenter", KeyType.text(), "that of the agent", "Datacenter of Consul.");
      tokenFile =
          Key.optional(
              section + "tokenFile",
              KeyType.file(),
              "File with the ACL token for Consul; it is read for each request.");
      ca =
          Key.derived(
              section + "ca",
              KeyType.file(),
              "the authorities that the JDK trusts",
              "Authority in PEM that signs the certificate of Consul's API.");
      certificate =
          Key.optional(
              section + "certificate",
              KeyType.file(),
              "Certificate in PEM that this process presents to Consul's API.");
      privateKey =
          Key.optional(
              section + "key", KeyType.file(), "Private key of that certificate in PEM, PKCS 8.");
    }

    List<Key<?>> all() {
      return List.of(address, datacenter, tokenFile, ca, certificate, privateKey);
    }
  }
}
