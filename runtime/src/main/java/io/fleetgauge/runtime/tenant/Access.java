package io.fleetgauge.runtime.tenant;

import static io.fleetgauge.runtime.tenant.Permission.READ;
import static io.fleetgauge.runtime.tenant.Permission.WRITE;

import io.fleetgauge.runtime.config.TenantLimits;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Decides which tenant a request belongs to and what it may do. Safe for all threads. */
public final class Access {
  private static final String BEARER = "bearer ";
  private static final String BASIC = "basic ";
  private static final int LONGEST_TOKEN = 4_096;
  private static final Pattern ORG_ID = Pattern.compile("[0-9a-zA-Z!\\-_.*'()|]{1,150}");

  /** Most tokens with slow hashes that are remembered. */
  private static final int MOST_REMEMBERED = 1_000;

  private record TenantToken(TenantSettings tenant, TokenSettings token, byte[] sha256) {}

  /** The tenants file as it was read once. */
  private record State(TenantList list, List<TenantToken> quick, List<TenantToken> slow) {}

  private final TenantLimits base;
  private final int mostRemembered;
  // Empty without a tenants file.
  private volatile Optional<State> state = Optional.empty();
  private final Map<String, TenantToken> remembered = new LinkedHashMap<>();

  /**
   * Everything is allowed until tenants are set.
   *
   * @param base the limits of tenants that the file does not name
   */
  public Access(TenantLimits base) {
    this(base, MOST_REMEMBERED);
  }

  /**
   * @param mostRemembered most tokens with slow hashes that are remembered
   */
  Access(TenantLimits base, int mostRemembered) {
    this.base = base;
    this.mostRemembered = mostRemembered;
  }

  /** Applies a tenants file. */
  void set(TenantList list) {
    List<TenantToken> quick = new ArrayList<>();
    List<TenantToken> slow = new ArrayList<>();
    for (TenantSettings tenant : list.tenants().values()) {
      for (TokenSettings token : tenant.tokens().values()) {
        if (token.sha256().isEmpty()) {
          slow.add(new TenantToken(tenant, token, new byte[0]));
        } else {
          quick.add(new TenantToken(tenant, token, TokenHash.sha256FromHex(token.sha256())));
        }
      }
    }
    synchronized (remembered) {
      remembered.clear();
      state = Optional.of(new State(list, List.copyOf(quick), List.copyOf(slow)));
    }
  }

  /** Tells whether there is no tenants file, so that every request may do everything. */
  public boolean isOpen() {
    return state.isEmpty();
  }

  /** The limits of a tenant, or of several whose names are joined by |: the strictest of each. */
  public TenantLimits limits(String tenant) {
    State now = state.orElse(null);
    TenantLimits least = null;
    if (now != null) {
      for (String name : tenant.split("\\|")) {
        TenantSettings settings = now.list.tenants().get(name);
        if (settings != null) {
          least = least == null ? settings.limits() : least.least(settings.limits());
        }
      }
    }
    return least == null ? base : least;
  }

  /** The scope of a tenant, empty if it sees everything; no value if there is no such tenant. */
  public Optional<String> scope(String tenant) {
    return state
        .flatMap(now -> Optional.ofNullable(now.list.tenants().get(tenant)))
        .map(TenantSettings::scope);
  }

  /** The names of all tenants; none without a tenants file. */
  public Set<String> tenants() {
    return state.map(now -> now.list.tenants().keySet()).orElse(Set.of());
  }

  /**
   * Decides what a request may do, if that is possible at once.
   *
   * @return empty when a slow hash has to be compared first
   * @throws Refusal if its sender is unknown or expired
   */
  public Optional<Grant> quickly(SenderClaims shown, Instant now) throws Refusal {
    return decide(shown, now, false);
  }

  /** As {@link #quickly}, but compares slow hashes; takes tens of milliseconds. */
  public Grant slowly(SenderClaims shown, Instant now) throws Refusal {
    return decide(shown, now, true).orElseThrow(Refusal::unknown);
  }

  private Optional<Grant> decide(SenderClaims shown, Instant now, boolean slowly) throws Refusal {
    State current = state.orElse(null);
    if (current == null) {
      return Optional.of(open(shown));
    }
    if (shown.orgIds().size() > 1 || shown.authorization().size() > 1) {
      throw Refusal.unknown();
    }
    if (shown.authorization().isEmpty()) {
      return Optional.of(namedByProxy(current, shown, now));
    }
    String token = token(shown.authorization().getFirst());
    if (token.isEmpty() || token.length() > LONGEST_TOKEN) {
      throw Refusal.unknown();
    }
    TenantToken known = find(current, token);
    if (known == null && !current.slow.isEmpty()) {
      if (!slowly) {
        return Optional.empty();
      }
      known = findSlowly(current, token);
    }
    if (known == null || known.token.isExpired(now)) {
      throw Refusal.unknown();
    }
    TenantSettings tenant = known.tenant;
    for (String asked : shown.orgIds()) {
      if (!asked.equals(tenant.name())) {
        throw Refusal.forbidden("the token does not belong to the tenant that X-Scope-OrgID names");
      }
    }
    return Optional.of(
        new Grant(
            tenant.name(), List.of(tenant), tenant.limits(), known.token.permissions(), false));
  }

  private Grant open(SenderClaims shown) throws Refusal {
    String tenant = shown.orgIds().isEmpty() ? "" : shown.orgIds().getFirst();
    if (tenant.isBlank()) {
      tenant = Grant.ANONYMOUS;
    } else if (!ORG_ID.matcher(tenant).matches()) {
      throw Refusal.forbidden(
          "X-Scope-OrgID is not a valid tenant name: at most 150 characters of 0-9 a-z A-Z ! - _ ."
              + " * ' ( ) |");
    }
    return new Grant(tenant, List.of(), base, EnumSet.allOf(Permission.class), false);
  }

  /**
   * The tenant that a trusted proxy names. It reads what its scope selects and writes series with
   * its {@code write.labels}; without these, what one of its tokens may. A tenant without tokens
   * exists for proxies alone and may both.
   */
  private static Grant namedByProxy(State current, SenderClaims shown, Instant now) throws Refusal {
    boolean fromProxy =
        current.list.proxies().stream().anyMatch(network -> network.contains(shown.address()));
    if (!fromProxy || shown.orgIds().isEmpty()) {
      throw Refusal.unknown();
    }
    List<TenantSettings> tenants = new ArrayList<>();
    TenantLimits limits = null;
    TreeSet<String> names =
        new TreeSet<>(Arrays.asList(shown.orgIds().getFirst().split("\\|", -1)));
    for (String name : names) {
      TenantSettings tenant = current.list.tenants().get(name);
      if (tenant == null) {
        throw Refusal.unknown();
      }
      tenants.add(tenant);
      limits = limits == null ? tenant.limits() : limits.least(tenant.limits());
    }
    Set<Permission> permissions = EnumSet.noneOf(Permission.class);
    if (tenants.stream().allMatch(each -> !each.scope().isEmpty() || mayAll(each, READ, now))) {
      permissions.add(READ);
    }
    TenantSettings first = tenants.getFirst();
    if (tenants.size() == 1 && (!first.writeLabels().isEmpty() || mayAll(first, WRITE, now))) {
      permissions.add(WRITE);
    }
    return new Grant(String.join("|", names), tenants, limits, Set.copyOf(permissions), true);
  }

  /** Tells whether a tenant has a permission over the data of all tenants. */
  private static boolean mayAll(TenantSettings tenant, Permission permission, Instant now) {
    return tenant.tokens().isEmpty()
        || tenant.tokens().values().stream()
            .anyMatch(token -> token.permissions().contains(permission) && !token.isExpired(now));
  }

  /** The token of a header; empty when there is none in it. */
  private static String token(String header) {
    if (header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return header.substring(BEARER.length()).strip();
    }
    if (header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
      try {
        byte[] decoded = Base64.getDecoder().decode(header.substring(BASIC.length()).strip());
        String text = new String(decoded, StandardCharsets.UTF_8);
        // The user name is ignored: clients that only know basic authentication must send one.
        return text.substring(text.indexOf(':') + 1);
      } catch (IllegalArgumentException e) {
        return "";
      }
    }
    return "";
  }

  /** Compares with all tokens, so that the time does not reveal which one was close. */
  private TenantToken find(State current, String token) {
    byte[] hash = TokenHash.sha256(token);
    TenantToken found = null;
    for (TenantToken known : current.quick) {
      if (MessageDigest.isEqual(hash, known.sha256)) {
        found = known;
      }
    }
    if (found == null && !current.slow.isEmpty()) {
      synchronized (remembered) {
        for (TenantToken known : remembered.values()) {
          if (MessageDigest.isEqual(hash, known.sha256)) {
            found = known;
          }
        }
      }
    }
    return found;
  }

  private TenantToken findSlowly(State current, String token) {
    TenantToken found = null;
    for (TenantToken known : current.slow) {
      if (TokenHash.isArgon2id(token, known.token.argon2id())) {
        found = new TenantToken(known.tenant, known.token, TokenHash.sha256(token));
      }
    }
    if (found != null) {
      synchronized (remembered) {
        if (state.orElse(null) == current && remembered.size() < mostRemembered) {
          remembered.put(found.tenant.name() + "/" + found.token.name(), found);
        }
      }
    }
    return found;
  }
}
