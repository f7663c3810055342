package io.fleetgauge.runtime.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.key.Key;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TenantListTest {
  private static final String ARGON2 = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$";
  private static final String ARGON2_HASH = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  private static final String SHA256 = "0123456789abcdef".repeat(4);

  private static TenantList read(String yaml) throws ConfigException {
    return TenantList.read(
        "t.yaml", yaml, TenantLimits.DEFAULT, scope -> scope.equals("bad") ? "it is bad" : "");
  }

  private static List<String> problems(String yaml) {
    ConfigException failure = catchThrowableOfType(ConfigException.class, () -> read(yaml));
    return failure == null ? List.of() : failure.problems();
  }

  private static List<String> tokenProblems(String token) {
    return problems("tenants: {a: {tokens: {t: {" + token + "}}}}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "A-z_09", "-"})
  void aTenantsNameHasLettersDigitsHyphensAndUnderscores(String name) throws ConfigException {
    assertThat(read("tenants: {'" + name + "': {}}").tenants()).containsOnlyKeys(name);
  }

  @Test
  void aTenantsNameHasAtMostAHundredCharacters() throws ConfigException {
    String longest = "x".repeat(100);
    assertThat(read("tenants: {" + longest + ": {}}").tenants()).containsOnlyKeys(longest);
    assertThat(problems("tenants: {" + longest + "x: {}}"))
        .containsExactly(
            "tenants." + longest + "x: a tenant's name has 1 to 100 letters, digits, - and _");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "ä", "a|b", "a/b"})
  void anyOtherNameIsAProblem(String name) {
    assertThat(problems("tenants: {'" + name + "': {}}"))
        .containsExactly(
            "tenants." + name + ": a tenant's name has 1 to 100 letters, digits, - and _");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "tenants: {}", "proxies: [10.0.0.0/8]"})
  void aFileWithoutATenantIsAProblem(String yaml) {
    assertThat(problems(yaml)).singleElement().asString().startsWith("tenants: the file names no");
  }

  @Test
  void aTenantThatSetsNothingSeesAllDataHasTheLimitsForAllAndNoToken() throws ConfigException {
    TenantSettings tenant = read("tenants: {a: {}}").tenants().get("a");
    assertThat(tenant.name()).isEqualTo("a");
    assertThat(tenant.scope()).isEmpty();
    assertThat(tenant.limits()).isEqualTo(TenantLimits.DEFAULT);
    assertThat(tenant.tokens()).isEmpty();
    assertThat(tenant.writeLabels()).isEmpty();
    assertThat(tenant.stamps()).isFalse();
  }

  @Test
  void aScopeThatIsNotASelectorIsAProblemWithItsReason() throws ConfigException {
    assertThat(problems("tenants: {a: {scope: bad}}"))
        .containsExactly("tenants.a.scope: bad is not a selector: it is bad");
    assertThat(read("tenants: {a: {scope: good}}").tenants().get("a").scope()).isEqualTo("good");
  }

  @Test
  void aTokenHasExactlyOneHash() throws ConfigException {
    String argon2id = "argon2id: '" + ARGON2 + ARGON2_HASH + "'";
    String problem = "tenants.a.tokens.t: exactly one of sha256 and argon2id is required";
    assertThat(tokenProblems("")).containsExactly(problem);
    assertThat(tokenProblems("sha256: " + SHA256 + ", " + argon2id)).containsExactly(problem);
    assertThat(tokenProblems("sha256: " + SHA256)).isEmpty();
    assertThat(tokenProblems(argon2id)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sha256: 0123",
        "sha256: '0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF'",
        "argon2id: secret",
        "argon2id: '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJ'",
        "argon2id: '$argon2id$v=19$m=65536,t=0,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJH'",
        "argon2id: '$argon2id$v=19$m=65536,t=2,p=0$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJH'",
        "argon2id: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhb$CTFhFdXPJO1aFaMaO6Mm5c8y7cJH'",
        "argon2id: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQab$CTFhFdXPJO1aFaMaO6Mm5c8y7'"
      })
  void aHashOfAnotherFormIsAProblemThatDoesNotRepeatIt(String token) {
    assertThat(tokenProblems(token))
        .singleElement()
        .asString()
        .startsWith("tenants.a.tokens.t.")
        .contains("the value is not allowed")
        .doesNotContain(token.substring(token.indexOf(':') + 2));
  }

  @Test
  void oneTokenCannotBelongToTwoTenants() {
    String token = "{tokens: {t: {sha256: " + SHA256 + "}}}";
    assertThat(problems("tenants: {a: " + token + ", b: " + token + "}"))
        .containsExactly("tenants.b.tokens.t: the token is the same as that of tenants.a.tokens.t");
  }

  @ParameterizedTest
  @CsvSource({
    "2027-01-31, 2027-02-01T00:00:00Z",
    "2028-02-28, 2028-02-29T00:00:00Z",
    "2027-01-31T12:00:00Z, 2027-01-31T12:00:00Z"
  })
  void aTokenExpiresAtAnInstantOrAtTheEndOfADayInUtc(String text, Instant moment)
      throws ConfigException {
    TenantList list =
        read("tenants: {a: {tokens: {t: {sha256: " + SHA256 + ", expires: '" + text + "'}}}}");
    assertThat(list.tenants().get("a").tokens().get("t").expires()).contains(moment);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2027-02-30", "soon", "2027-01-31T12:00:00"})
  void anExpiryThatIsNotADateIsAProblem(String text) {
    assertThat(tokenProblems("sha256: " + SHA256 + ", expires: '" + text + "'"))
        .singleElement()
        .asString()
        .startsWith("tenants.a.tokens.t.expires: " + text + " is not allowed");
  }

  @Test
  void aTokenWithoutRightsMayReadAndAnEmptyListOfRightsIsAProblem() throws ConfigException {
    TenantList list = read("tenants: {a: {tokens: {t: {sha256: " + SHA256 + "}}}}");
    assertThat(list.tenants().get("a").tokens().get("t").permissions())
        .containsExactly(Permission.READ);
    assertThat(tokenProblems("sha256: " + SHA256 + ", rights: []")).hasSize(1);
  }

  @Test
  void everyKeyOfTheFileIsKnownToTheReferencePage() {
    assertThat(TenantList.keys().stream().map(Key::name))
        .contains(
            "proxies",
            "tenants.TENANT.scope",
            "tenants.TENANT.write.labels",
            "tenants.TENANT.write.stamp",
            "tenants.TENANT.tokens.TOKEN.sha256",
            "tenants.TENANT.tokens.TOKEN.argon2id",
            "tenants.TENANT.tokens.TOKEN.expires",
            "tenants.TENANT.tokens.TOKEN.rights")
        .doesNotHaveDuplicates();
  }
}
