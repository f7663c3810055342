package io.fleetgauge.runtime.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.key.ConfigException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTest {
  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final byte[] LOCAL = {127, 0, 0, 1};
  private static final byte[] PROXY = {10, 1, 2, 3};

  private static final String TWO =
      """
      proxies: [10.1.0.0/16]
      tenants:
        a:
          scope: '{tenant="a"}'
          limits: {running: 3, samples: 100}
          tokens:
            grafana: {sha256: %s}
            writer: {sha256: %s, rights: [write], expires: 2026-11-21}
            all: {sha256: %s, rights: [read, write, operate], expires: "2026-11-22T10:00:01Z"}
        b:
          scope: '{tenant="b"}'
          limits: {running: 5, samples: 50}
          write: {labels: {tenant: b}, stamp: true}
          tokens:
            probe: {sha256: %s, rights: [write]}
      """
          .formatted(hash("one"), hash("two"), hash("three"), hash("four"));

  @TempDir private Path folder;
  private Path file;
  private final Access access = new Access(TenantLimits.DEFAULT);
  private TenantFile tenants;

  private static String hash(String token) {
    return HexFormat.of().formatHex(TokenHash.sha256(token));
  }

  @BeforeEach
  void open() throws Exception {
    file = Files.writeString(folder.resolve("tenants.yaml"), TWO);
    tenants = TenantFile.open(file, TenantLimits.DEFAULT, scope -> "", access);
  }

  private static SenderClaims bearer(String token) {
    return new SenderClaims(List.of("Bearer " + token), List.of(), LOCAL);
  }

  private Grant grant(SenderClaims shown) throws Refusal {
    return access.quickly(shown, NOW).orElseThrow();
  }

  private Refusal refusal(SenderClaims shown) {
    return catchThrowableOfType(Refusal.class, () -> access.quickly(shown, NOW));
  }

  @Test
  void aTokenIsValidForItsTenantAndItsRights() throws Exception {
    Grant grant = grant(bearer("one"));
    assertThat(grant.tenant()).isEqualTo("a");
    assertThat(grant.scopes()).containsExactly("{tenant=\"a\"}");
    assertThat(grant.limits().running()).isEqualTo(3);
    assertThat(grant.permissions()).containsExactly(Permission.READ);
    assertThat(grant(bearer("three")).permissions())
        .containsExactlyInAnyOrder(Permission.READ, Permission.WRITE, Permission.OPERATE);
    Grant writer = grant(bearer("four"));
    assertThat(writer.writeLabels()).containsEntry("tenant", "b");
    assertThat(writer.stamps()).isTrue();
  }

  @Test
  void aTokenMayBeThePasswordOfAnyUserName() throws Exception {
    String basic =
        "basic " + Base64.getEncoder().encodeToString("any:one".getBytes(StandardCharsets.UTF_8));
    assertThat(grant(new SenderClaims(List.of(basic), List.of(), LOCAL)).tenant()).isEqualTo("a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer nobody",
        "Bearer ",
        "Bearer",
        "bearer one two",
        "Basic one",
        "Basic !!",
        "one",
        "Digest one",
        "Bearer two" // expired
      })
  void anUnknownExpiredOrMalformedTokenGets401WithoutAReason(String header) {
    Refusal refusal = refusal(new SenderClaims(List.of(header), List.of(), LOCAL));
    assertThat(refusal.status()).isEqualTo(401);
    assertThat(refusal).hasMessage("unauthorized");
  }

  @Test
  void aRequestWithTwoTokensOrTwoTenantsOrNeitherIsUnauthorized() {
    assertThat(refusal(new SenderClaims(List.of("Bearer one", "Bearer four"), List.of(), LOCAL)))
        .hasMessage("unauthorized");
    assertThat(refusal(new SenderClaims(List.of("Bearer one"), List.of("a", "b"), LOCAL)))
        .hasMessage("unauthorized");
    assertThat(refusal(new SenderClaims(List.of(), List.of(), LOCAL)).status()).isEqualTo(401);
    assertThat(refusal(new SenderClaims(List.of(), List.of("a"), LOCAL)).status()).isEqualTo(401);
  }

  @Test
  void aTokenIsNotValidForAnotherTenant() throws Exception {
    assertThat(refusal(new SenderClaims(List.of("Bearer one"), List.of("b"), LOCAL)).status())
        .isEqualTo(403);
    assertThat(refusal(new SenderClaims(List.of("Bearer one"), List.of("a|b"), PROXY)).status())
        .isEqualTo(403);
    assertThat(grant(new SenderClaims(List.of("Bearer one"), List.of("a"), LOCAL)).tenant())
        .isEqualTo("a");
  }

  @Test
  void aTrustedProxyMayNameSeveralTenantsAtOnce() throws Exception {
    Grant both = grant(new SenderClaims(List.of(), List.of("b|a|b"), PROXY));
    assertThat(both.tenant()).isEqualTo("a|b");
    assertThat(both.scopes()).containsExactly("{tenant=\"a\"}", "{tenant=\"b\"}");
    assertThat(both.limits().running()).isEqualTo(3);
    assertThat(both.limits().samples()).isEqualTo(50);
    assertThat(access.limits("a|b")).isEqualTo(both.limits());
    assertThat(both.permissions()).containsExactly(Permission.READ);
    assertThat(grant(new SenderClaims(List.of(), List.of("a"), PROXY)).may(Permission.OPERATE))
        .isFalse();
    assertThat(refusal(new SenderClaims(List.of(), List.of("a|nobody"), PROXY)).status())
        .isEqualTo(401);
    assertThat(refusal(new SenderClaims(List.of(), List.of("a|"), PROXY)).status()).isEqualTo(401);
  }

  @Test
  void aTenantThatAProxyNamesHasNoMoreRightsThanTheFileGivesIt() throws Exception {
    Files.writeString(
        file,
        """
        proxies: [10.1.0.0/16]
        tenants:
          probes: {tokens: {all: {sha256: %s, rights: [write]}}}
          staff: {tokens: {all: {sha256: %s}}}
          left: {tokens: {all: {sha256: %s, expires: 2026-11-21}}}
          operators: {tokens: {all: {sha256: %s, rights: [operate]}}}
          scoped: {scope: '{tenant="scoped"}', write: {labels: {tenant: scoped}}}
          proxied: {}
        """
            .formatted(hash("1"), hash("2"), hash("3"), hash("4")));
    tenants.look();
    assertThat(proxied("probes").permissions()).containsExactly(Permission.WRITE);
    assertThat(proxied("probes").lacks(Permission.READ))
        .startsWith("X-Scope-OrgID names probes, which may not read: it has no scope,");
    assertThat(proxied("staff").permissions()).containsExactly(Permission.READ);
    assertThat(proxied("staff").lacks(Permission.WRITE))
        .startsWith("X-Scope-OrgID names staff, which may not write: it has no write.labels");
    assertThat(proxied("left").permissions()).isEmpty();
    assertThat(proxied("operators").permissions()).isEmpty();
    assertThat(proxied("operators").lacks(Permission.OPERATE))
        .isEqualTo("a request without a token lacks the operate permission");
    assertThat(proxied("scoped").permissions())
        .containsExactlyInAnyOrder(Permission.READ, Permission.WRITE);
    assertThat(proxied("proxied").permissions())
        .containsExactlyInAnyOrder(Permission.READ, Permission.WRITE);
    assertThat(proxied("scoped|staff").permissions()).containsExactly(Permission.READ);
    assertThat(proxied("scoped|staff").lacks(Permission.WRITE))
        .isEqualTo("X-Scope-OrgID names several tenants, scoped|staff; samples are sent for one");
    assertThat(proxied("scoped|probes").permissions()).isEmpty();
  }

  private Grant proxied(String tenants) throws Refusal {
    return grant(new SenderClaims(List.of(), List.of(tenants), PROXY));
  }

  @Test
  void aSlowHashIsComparedOffTheEventLoopAndRememberedUntilTheFileChanges() throws Exception {
    // printf %s password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 32 -e (the reference's own)
    String slow =
        TWO.replace(
            "sha256: " + hash("one"),
            "argon2id: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$"
                + "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'");
    Files.writeString(file, slow);
    tenants.look();
    assertThat(access.quickly(bearer("password"), NOW)).isEmpty();
    assertThat(access.slowly(bearer("password"), NOW).tenant()).isEqualTo("a");
    assertThat(access.quickly(bearer("password"), NOW)).isPresent();
    assertThatThrownBy(() -> access.slowly(bearer("Password"), NOW))
        .isInstanceOf(Refusal.class)
        .hasMessage("unauthorized");
    Files.writeString(file, slow + "# the same\n");
    tenants.look();
    assertThat(access.quickly(bearer("password"), NOW)).isEmpty();
  }

  @Test
  void oneReadingReportsEveryProblemOfAFile() throws Exception {
    Files.writeString(
        file,
        """
        proxies: [example.org, 10.0.0.0/33]
        tenants:
          a:
            scope: nonsense
            limits: {running: 0}
            tokens:
              x: {sha256: 12}
              y: {}
              z: {argon2id: abc, rights: [fly], expires: soon}
          b: {tokens: {x: {sha256: HASH}}}
          c: {tokens: {x: {sha256: HASH}}, colour: red}
        """
            .replace("HASH", hash("same")));
    assertThatThrownBy(
            () ->
                TenantFile.open(
                    file,
                    TenantLimits.DEFAULT,
                    scope -> "it is bad",
                    new Access(TenantLimits.DEFAULT)))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .hasSize(11)
                    .anyMatch(
                        each -> each.contains("tenants.a.scope: nonsense is not a selector: it"))
                    .anyMatch(each -> each.contains("the token is the same as that of"))
                    .anyMatch(each -> each.startsWith("tenants.c.colour: no such key"))
                    .anyMatch(each -> each.startsWith("proxies: example.org is not allowed")));
  }

  @Test
  void withoutAFileEveryRequestIsAllowedAndTheHeaderNamesTheTenant() throws Exception {
    Access open = new Access(TenantLimits.DEFAULT);
    Grant grant =
        open.quickly(new SenderClaims(List.of(), List.of("team-a"), LOCAL), NOW).orElseThrow();
    assertThat(grant.tenant()).isEqualTo("team-a");
    assertThat(grant.scopes()).isEmpty();
    assertThat(grant.may(Permission.OPERATE)).isTrue();
    assertThat(
            open.quickly(new SenderClaims(List.of(), List.of(), LOCAL), NOW).orElseThrow().tenant())
        .isEqualTo(Grant.ANONYMOUS);
    assertThatThrownBy(() -> open.quickly(new SenderClaims(List.of(), List.of("a b"), LOCAL), NOW))
        .hasMessageContaining("not a valid tenant name");
  }

  @Test
  void aTokenIsRefusedFromTheInstantOfItsExpiry() throws Exception {
    Instant expiry = Instant.parse("2026-11-22T10:00:01Z");
    assertThat(access.quickly(bearer("three"), expiry.minusMillis(1))).isPresent();
    assertThatThrownBy(() -> access.quickly(bearer("three"), expiry))
        .isInstanceOf(Refusal.class)
        .hasMessage("unauthorized");
    assertThatThrownBy(() -> access.quickly(bearer("three"), expiry.plusMillis(1)))
        .isInstanceOf(Refusal.class);
  }

  @Test
  void aTokenThatExpiresOnADayIsValidUntilTheEndOfThatDay() throws Exception {
    Instant end = Instant.parse("2026-11-22T00:00:00Z"); // of 2026-11-21
    assertThat(access.quickly(bearer("two"), end.minusMillis(1))).isPresent();
    assertThatThrownBy(() -> access.quickly(bearer("two"), end)).isInstanceOf(Refusal.class);
  }

  @Test
  void aSlowTokenExpiresToo() throws Exception {
    String slow =
        """
        tenants:
          a:
            tokens:
              made-up:
                argon2id: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$HASH'
                expires: "2026-11-22T10:00:01Z"
        """
            .replace("HASH", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc");
    Files.writeString(file, slow);
    tenants.look();
    Instant expiry = Instant.parse("2026-11-22T10:00:01Z");
    assertThat(access.slowly(bearer("password"), expiry.minusMillis(1)).tenant()).isEqualTo("a");
    assertThatThrownBy(() -> access.slowly(bearer("password"), expiry)).isInstanceOf(Refusal.class);
  }

  @Test
  void aTenantThatTheFileDoesNotNameHasTheDefaultLimits() {
    assertThat(access.limits("nobody")).isEqualTo(TenantLimits.DEFAULT);
    assertThat(access.limits("a").running()).isEqualTo(3);
    assertThat(access.limits("nobody|b").running()).isEqualTo(5);
    assertThat(access.tenants()).containsExactlyInAnyOrder("a", "b");
    assertThat(access.isOpen()).isFalse();
    assertThat(new Access(TenantLimits.DEFAULT).tenants()).isEmpty();
    assertThat(new Access(TenantLimits.DEFAULT).limits("a")).isEqualTo(TenantLimits.DEFAULT);
  }

  @Test
  void aTokenLongerThan4096CharactersIsRefusedWithoutComparing() throws Exception {
    String longest = "x".repeat(4_096);
    Files.writeString(file, TWO.replace(hash("one"), hash(longest)));
    tenants.look();
    assertThat(grant(bearer(longest)).tenant()).isEqualTo("a");
    Files.writeString(file, TWO.replace(hash("one"), hash(longest + "x")));
    tenants.look();
    assertThat(refusal(bearer(longest + "x")).status()).isEqualTo(401);
  }

  @Test
  void oneTenantNamedByAProxyMayReadAndWriteButSeveralMayOnlyRead() throws Exception {
    assertThat(grant(new SenderClaims(List.of(), List.of("b"), PROXY)).permissions())
        .containsExactlyInAnyOrder(Permission.READ, Permission.WRITE);
    Grant both = grant(new SenderClaims(List.of(), List.of("a|b"), PROXY));
    assertThat(both.may(Permission.WRITE)).isFalse();
    assertThat(both.writeLabels()).isEmpty();
    assertThat(both.stamps()).isFalse();
  }

  /** The cheapest hash that the format allows, so that the test compares many. */
  private static String argon2id(String token) {
    byte[] salt = "somesalt".getBytes(StandardCharsets.UTF_8);
    Argon2BytesGenerator generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
            .withMemoryAsKB(8)
            .withIterations(1)
            .withParallelism(1)
            .withSalt(salt)
            .build());
    byte[] hash = new byte[16];
    generator.generateBytes(token.getBytes(StandardCharsets.UTF_8), hash);
    Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
    return "$argon2id$v=19$m=8,t=1,p=1$"
        + base64.encodeToString(salt)
        + "$"
        + base64.encodeToString(hash);
  }

  @Test
  void onlySoManySlowTokensAreRememberedAndTheOthersStayValid() throws Exception {
    StringBuilder yaml = new StringBuilder("tenants: {a: {tokens: {");
    for (int i = 0; i < 3; i++) {
      yaml.append("t%d: {argon2id: '%s'}, ".formatted(i, argon2id("token" + i)));
    }
    Access few = new Access(TenantLimits.DEFAULT, 2);
    few.set(TenantList.read("f", yaml + "}}}", TenantLimits.DEFAULT, scope -> ""));
    for (int i = 0; i < 3; i++) {
      assertThat(few.slowly(bearer("token" + i), NOW).tenant()).isEqualTo("a");
    }
    assertThat(few.quickly(bearer("token0"), NOW)).isPresent();
    assertThat(few.quickly(bearer("token1"), NOW)).isPresent();
    assertThat(few.quickly(bearer("token2"), NOW)).isEmpty();
    assertThat(few.slowly(bearer("token2"), NOW).tenant()).isEqualTo("a");
  }

  @Test
  void withoutATenantsFileAccessIsOpenAndWithOneItIsNot() {
    assertThat(new Access(TenantLimits.DEFAULT).isOpen()).isTrue();
    assertThat(access.isOpen()).isFalse();
  }
}
