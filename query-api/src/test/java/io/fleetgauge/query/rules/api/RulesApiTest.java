package io.fleetgauge.query.rules.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.query.http.TestServer;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.query.rules.evaluation.AlertInstance;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.RuleState;
import io.fleetgauge.query.rules.source.GroupExchange;
import io.fleetgauge.query.rules.source.RuleSource;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(VertxExtension.class)
class RulesApiTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CONFIG = "/prometheus/config/v1/rules";
  private static final String RULES =
      """
      groups:
        - name: g
          interval: 15s
          limit: 9
          labels: {team: gpu}
          rules:
            - {record: r, expr: "sum(up )", labels: {empty: ""}}
            - alert: Hot
              expr: temperature > 85.0
              for: 1m30s
              keep_firing_for: 500ms
              labels: {severity: page, team: own}
              annotations: {summary: "<{{ $value }}>"}
        - name: h
          rules: [{alert: Down, expr: up == 0}]
      """;

  @TempDir Path folder;

  private final Map<RuleGroup.Id, GroupState> states = new HashMap<>();
  private Path file;
  private RuleSource source;
  private OutgoingHttp outgoing;
  private TestServer server;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    file = Files.writeString(folder.resolve("rules.yaml"), RULES);
    Files.writeString(folder.resolve("a.yaml"), RULES);
    RulesSettings base =
        RulesSettings.of(List.of(file.toString()), Optional.of(folder.resolve("groups")));
    RulesSettings settings =
        new RulesSettings(
            base.bundled(),
            base.runbooks(),
            base.files(),
            Map.of("a", List.of(folder + "/a.yaml")),
            base.evaluationInterval(),
            base.queryOffset(),
            base.resendDelay(),
            base.deadline(),
            base.partial(),
            base.externalLabels(),
            base.externalUrl(),
            base.folder(),
            3,
            base.maxRules(),
            base.catchUp());
    source =
        RuleSource.open(
            settings,
            new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 60_000),
            () -> TestServer.NOW);
    outgoing =
        new OutgoingHttp(
            vertx,
            TrustSettings.NONE,
            new RequestSigner(ClusterKey.of(List::of), () -> TestServer.NOW),
            new HttpClients.Limits(1_000, 10, 1, 10));
    GroupExchange exchange =
        new GroupExchange(
            vertx,
            source,
            PeerLink.mount(
                Router.router(vertx),
                Guard.open(
                    vertx,
                    new HttpSettings("127.0.0.1", 0),
                    Optional.empty(),
                    TrustSettings.NONE,
                    TenantLimits.DEFAULT,
                    Parser::selectorProblem,
                    () -> TestServer.NOW),
                vertx,
                outgoing));
    server =
        new TestServer(
            vertx,
            folder,
            routes ->
                RulesApi.mount(
                    routes,
                    source,
                    exchange,
                    () -> Future.succeededFuture(Map.copyOf(states)),
                    () -> List.of(URI.create("http://am:9093/api/v2/alerts"))));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    outgoing.close();
  }

  private JsonNode data(String tenant, String path) throws Exception {
    HttpResponse<String> answer = server.get(tenant, path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body()).path("data");
  }

  private List<String> shown(String path) throws Exception {
    List<String> shown = new ArrayList<>();
    for (JsonNode group : data("root", path).path("groups")) {
      group
          .path("rules")
          .forEach(
              rule -> shown.add(group.path("name").asText() + "/" + rule.path("name").asText()));
    }
    return shown;
  }

  private HttpResponse<String> send(String tenant, String method, String path, String body)
      throws Exception {
    return server.send(
        tenant,
        path,
        new String[0],
        ask -> ask.method(method, HttpRequest.BodyPublishers.ofString(body)));
  }

  private void evaluate() {
    RuleGroup group =
        source.groups().stream()
            .filter(each -> each.id().tenant().isEmpty() && each.id().name().equals("g"))
            .findFirst()
            .orElseThrow();
    List<String> rules = GroupState.initial(group).rules().stream().map(RuleState::rule).toList();
    TreeMap<String, String> annotations = new TreeMap<>(Map.of("summary", "<86.5>"));
    states.put(
        group.id(),
        new GroupState(
            group.id(),
            1_795_300_000_500L,
            GroupState.definitionOf(group),
            List.of(),
            List.of(
                new RuleState(
                    rules.get(0),
                    RuleState.Health.ERR,
                    "no <host>",
                    1_795_300_000_000L,
                    1_500_000,
                    List.of(),
                    List.of()),
                new RuleState(
                    rules.get(1),
                    RuleState.Health.OK,
                    "",
                    1_795_300_000_510L,
                    250_000_000,
                    List.of(
                        alert("n1", AlertInstance.State.PENDING, annotations, 0),
                        alert("n2", AlertInstance.State.FIRING, annotations, 0),
                        alert("n3", AlertInstance.State.INACTIVE, annotations, 5)),
                    List.of()))));
  }

  private static AlertInstance alert(
      String host, AlertInstance.State state, TreeMap<String, String> annotations, long resolved) {
    return new AlertInstance(
        Labels.of("alertname", "Hot", "Hostname", host),
        annotations,
        state,
        86.5,
        1_795_299_990_000L,
        0,
        resolved,
        host.equals("n2") ? 1_795_299_995_000L : 0,
        0);
  }

  @Test
  void rulesAndAlertsHaveTheShapesOfPrometheus() throws Exception {
    evaluate();
    String alerts =
        """
        {"labels":{"Hostname":"n1","alertname":"Hot"},"annotations":{"summary":"<86.5>"},\
        "state":"pending","activeAt":"2026-11-21T22:26:30Z","value":"8.65e+01"},\
        {"labels":{"Hostname":"n2","alertname":"Hot"},"annotations":{"summary":"<86.5>"},\
        "state":"firing","activeAt":"2026-11-21T22:26:30Z",\
        "keepFiringSince":"2026-11-21T22:26:35Z","value":"8.65e+01"}\
        """;
    assertThat(server.get("root", "/api/v1/rules?rule_group[]=g").body())
        .isEqualTo(
            """
            {"status":"success","data":{"groups":[{"name":"g","file":"@","rules":[\
            {"name":"r","query":"sum(up)","labels":{"empty":"","team":"gpu"},"health":"err",\
            "lastError":"no \\u003chost\\u003e","evaluationTime":0.0015,\
            "lastEvaluation":"2026-11-21T22:26:40Z","type":"recording"},\
            {"state":"firing","name":"Hot","query":"temperature \\u003e 85","duration":90,\
            "keepFiringFor":0.5,"labels":{"severity":"page","team":"own"},\
            "annotations":{"summary":"<{{ $value }}>"},"alerts":[%s],"health":"ok",\
            "evaluationTime":0.25,"lastEvaluation":"2026-11-21T22:26:40.51Z","type":"alerting"}],\
            "interval":15,"limit":9,"evaluationTime":0.2515,\
            "lastEvaluation":"2026-11-21T22:26:40.5Z"}]}}\
            """
                .formatted(alerts)
                .replace("@", file.toString()));
    assertThat(server.get("root", "/api/v1/alerts").body())
        .isEqualTo("{\"status\":\"success\",\"data\":{\"alerts\":[" + alerts + "]}}");
  }

  @Test
  void afterAGroupHasChangedEachRuleIsShownWithItsOwnAlerts() throws Exception {
    evaluate();
    Files.writeString(
        file,
        """
        groups:
          - name: g
            interval: 15s
            labels: {team: gpu}
            rules:
              - {alert: DiskFull, expr: disk > 0.9}
              - {alert: Hot, expr: temperature > 80, labels: {severity: page, team: own}}
        """);
    assertThat(send("root", "POST", "/-/reload", "").statusCode()).isEqualTo(200);

    JsonNode rules = data("root", "/api/v1/rules").path("groups").get(0).path("rules");

    assertThat(rules.get(0).path("name").asText()).isEqualTo("DiskFull");
    assertThat(rules.get(0).path("health").asText()).isEqualTo("unknown");
    assertThat(rules.get(0).path("alerts")).isEmpty();
    assertThat(rules.get(1).path("name").asText()).isEqualTo("Hot");
    assertThat(rules.get(1).path("state").asText()).isEqualTo("firing");
    assertThat(rules.get(1).path("alerts")).hasSize(2);
    assertThat(data("root", "/api/v1/alerts").path("alerts")).hasSize(2);
  }

  @Test
  void alertmanagersAreListedForWhoSeesEverything() throws Exception {
    assertThat(data("root", "/api/v1/alertmanagers").toString())
        .isEqualTo(
            "{\"activeAlertmanagers\":[{\"url\":\"http://am:9093/api/v2/alerts\"}],"
                + "\"droppedAlertmanagers\":[]}");
    assertThat(data("a", "/api/v1/alertmanagers").path("activeAlertmanagers")).isEmpty();
  }

  @Test
  void aGroupThatWasNeverEvaluatedIsUnknown() throws Exception {
    assertThat(
            data("root", "/api/v1/rules?rule_group[]=h&exclude_alerts=true")
                .path("groups")
                .get(0)
                .toString())
        .isEqualTo(
            """
            {"name":"h","file":"@","rules":[{"state":"inactive","name":"Down",\
            "query":"up == 0","duration":0,"keepFiringFor":0,"labels":{},"annotations":{},\
            "alerts":null,"health":"unknown","evaluationTime":0,\
            "lastEvaluation":"0001-01-01T00:00:00Z","type":"alerting"}],"interval":60,"limit":0,\
            "evaluationTime":0,"lastEvaluation":"0001-01-01T00:00:00Z"}\
            """
                .replace("@", file.toString()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | g/r g/Hot h/Down",
        "?type=alert | g/Hot h/Down",
        "?type=RECORD | g/r",
        "?rule_name[]=r&rule_name[]=Down | g/r h/Down",
        "?rule_group[]=h | h/Down",
        "?file[]=none | ''",
        "?match[]=%7Bteam%3D%22gpu%22%7D | g/r",
        "?match[]=%7Bteam%3D%22gpu%22%7D&match[]=%7Bseverity%3D~%22p.*%22%7D | g/r g/Hot",
        "?group_limit=1 | g/r g/Hot",
        "?group_limit=1&type=alert&rule_name[]=Down | h/Down"
      })
  void rulesAreFilteredAsByPrometheus(String query, String rules) throws Exception {
    assertThat(String.join(" ", shown("/api/v1/rules" + query))).isEqualTo(rules);
  }

  @Test
  void pagesFollowByTheirToken() throws Exception {
    JsonNode first = data("root", "/api/v1/rules?group_limit=1");
    String token = first.path("groupNextToken").asText();
    assertThat(token).hasSize(40);
    String second = "/api/v1/rules?group_limit=1&group_next_token=" + token;
    assertThat(shown(second)).containsExactly("h/Down");
    assertThat(data("root", second).has("groupNextToken")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type=x | invalid parameter \"type\": not supported value \"x\"",
        "exclude_alerts=x | invalid parameter \"exclude_alerts\": error converting exclude_alerts:"
            + " strconv.ParseBool: parsing \"x\": invalid syntax",
        "group_limit=x | invalid parameter \"group_limit\": group_limit needs to be a valid number:"
            + " strconv.ParseInt: parsing \"x\": invalid syntax",
        "group_limit=0 | invalid parameter \"group_limit\": group_limit needs to be greater than 0",
        "group_next_token=x | invalid parameter \"group_next_token\": group_limit needs to be"
            + " present in order to paginate over the groups",
        "group_limit=1&group_next_token=x | invalid parameter \"group_next_token\": invalid"
            + " group_next_token 'x'. were rule groups changed?",
        "match[]=%7B%7D | match[] must contain at least one non-empty matcher"
      })
  void wrongParametersAreToldAsByPrometheus(String query, String error) throws Exception {
    HttpResponse<String> answer = server.get("root", "/api/v1/rules?" + query);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(JSON.readTree(answer.body()).path("error").asText()).isEqualTo(error);
    assertThat(JSON.readTree(answer.body()).path("errorType").asText()).isEqualTo("bad_data");
  }

  @Test
  void aTenantSeesItsOwnGroupsOnly() throws Exception {
    evaluate();
    assertThat(data("a", "/api/v1/rules").path("groups").get(0).path("file").asText())
        .isEqualTo(folder + "/a.yaml");
    assertThat(data("a", "/api/v1/rules").path("groups")).hasSize(2);
    assertThat(data("a", "/api/v1/alerts").path("alerts")).isEmpty();
    assertThat(data("b", "/api/v1/rules").path("groups")).isEmpty();
    assertThat(server.get("", "/api/v1/rules").statusCode()).isEqualTo(401);
    assertThat(server.get("writer", "/api/v1/rules").statusCode()).isEqualTo(403);
  }

  @Test
  void mimirtoolSetsListsAndDeletesGroups() throws Exception {
    String group = "name: g/1\ninterval: 1m\nrules:\n    - record: x\n      expr: sum(up )\n";
    assertThat(server.get("ruler", CONFIG).statusCode()).isEqualTo(404);
    HttpResponse<String> set = send("ruler", "POST", CONFIG + "/my%20space", group);
    assertThat(set.statusCode()).as(set.body()).isEqualTo(202);
    assertThat(set.body())
        .isEqualTo("{\"status\":\"success\",\"data\":null,\"errorType\":\"\",\"error\":\"\"}");
    send("ruler", "POST", CONFIG + "/other", group.replace("g/1", "g"));
    HttpResponse<String> list = server.get("ruler", CONFIG);
    assertThat(list.headers().firstValue("Content-Type")).contains("application/yaml");
    assertThat(list.body())
        .isEqualTo(
            """
            my space:
            - name: g/1
              interval: 1m
              rules:
              - record: x
                expr: sum(up )
            other:
            - name: g
              interval: 1m
              rules:
              - record: x
                expr: sum(up )
            """);
    assertThat(server.get("ruler", CONFIG + "/other").body()).startsWith("other:\n- name: g\n");
    assertThat(server.get("ruler", CONFIG + "/my%20space/g%2F1").body()).isEqualTo(group);
    assertThat(server.get("ruler", "/config/v1/rules/other/g").statusCode()).isEqualTo(200);
    assertThat(data("ruler", "/api/v1/rules").path("groups")).hasSize(2);
    assertThat(data("root", "/api/v1/rules").path("groups")).as("the operator's").hasSize(2);
    assertThat(server.get("owner", CONFIG).statusCode()).as("of another tenant").isEqualTo(404);
    assertThat(send("ruler", "DELETE", CONFIG + "/my%20space/g%2F1", "").statusCode())
        .isEqualTo(202);
    assertThat(send("ruler", "DELETE", CONFIG + "/my%20space/g%2F1", "").statusCode())
        .isEqualTo(404);
    assertThat(send("ruler", "DELETE", CONFIG + "/other", "").statusCode()).isEqualTo(202);
    assertThat(send("ruler", "DELETE", CONFIG + "/other", "").statusCode()).isEqualTo(404);
    assertThat(data("ruler", "/api/v1/rules").path("groups")).isEmpty();
  }

  @Test
  void changingGroupsNeedsTheRightAndRulesThatCanBeUsed() throws Exception {
    String group = "name: %s\nrules: [{record: x, expr: up}]\n";
    assertThat(send("a", "POST", CONFIG + "/s", group).statusCode()).isEqualTo(403);
    assertThat(send("a", "DELETE", CONFIG + "/s", "").statusCode()).isEqualTo(403);
    assertThat(send("writer", "POST", CONFIG + "/s", group).statusCode()).isEqualTo(403);
    HttpResponse<String> wrong =
        send("ruler", "POST", CONFIG + "/s", "name: g\ncolour: red\nrules: [{record: x}]");
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.body()).contains("s:2:1: a group has no key").contains("s:3:9: group \"g\"");
    for (int i = 0; i < 3; i++) {
      assertThat(send("ruler", "POST", CONFIG + "/s", group.formatted("g" + i)).statusCode())
          .isEqualTo(202);
    }
    HttpResponse<String> tooMany = send("ruler", "POST", CONFIG + "/s", group.formatted("g3"));
    assertThat(tooMany.statusCode()).isEqualTo(400);
    assertThat(tooMany.body()).contains("rules.maxGroups");
    assertThat(send("ruler", "POST", CONFIG + "/s", "#".repeat((4 << 20) + 1)).statusCode())
        .isEqualTo(413);
  }

  @Test
  void reloadingTellsAllProblemsAndKeepsTheRules() throws Exception {
    assertThat(send("ruler", "POST", "/-/reload", "").statusCode()).isEqualTo(403);
    Files.writeString(file, "groups: [{name: new}]");
    HttpResponse<String> good = send("root", "POST", "/-/reload", "");
    assertThat(good.statusCode()).as(good.body()).isEqualTo(200);
    assertThat(source.groups().stream().map(group -> group.id().name())).contains("new");
    Files.writeString(file, "groups: [{name: newer, limit: x}]");
    HttpResponse<String> bad = send("root", "PUT", "/-/reload", "");
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(bad.body()).contains(file + ":1:31: limit is \"x\"");
    assertThat(source.groups().stream().map(group -> group.id().name())).contains("new");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1e+00",
    "85, 8.5e+01",
    "0.001, 1e-03",
    "1e300, 1e+300",
    "0.1, 1e-01",
    "-2.5, -2.5e+00",
    "NaN, NaN",
    "Infinity, +Inf",
    "123456789, 1.23456789e+08",
    "4.9E-324, 5e-324",
    "0, 0e+00"
  })
  void valuesOfAlertsAreWrittenAsByGo(double value, String text) {
    assertThat(RuleJson.exponential(value)).isEqualTo(text);
  }
}
