package io.fleetgauge.load.tidy;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The architecture: which packages there are, which of them may depend on which, and which may use
 * which library. A new package or dependency is declared here, or the build fails. It has more than
 * 600 lines because it lists every package with every dependency, so that each stands in one place.
 */
class TidyTest {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final String BASE = "io.fleetgauge.";

  /** Module folders and the first part of their packages. */
  private static final Map<String, String> MODULES =
      Map.of(
          "sample-model", "sample",
          "promql", "promql",
          "cluster-config", "cluster",
          "node-probe", "probe",
          "shard-gateway", "gateway",
          "query-api", "query",
          "load-test", "load");

  /** Every room and the rooms of ours that it may know. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          room("sample"),
          room("sample.wire", "sample"),
          room("sample.frame", "sample", "sample.wire"),
          room("sample.files"),
          room("sample.journal", "sample.files"),
          room("sample.gzip"),
          room("sample.decimal"),
          room("sample.gpu"),
          room("sample.vocabulary", "sample", "sample.gpu"),
          room("sample.regexp"),
          room("sample.relabel", "sample", "sample.regexp"),
          room("sample.prometheus", "sample", "sample.decimal", "sample.gpu", "sample.wire"),
          room("promql.expr", "sample", "sample.prometheus", "sample.regexp", "sample.vocabulary"),
          room("promql.syntax", "promql.expr", "sample", "sample.prometheus"),
          room("promql.kernel", "sample"),
          room("promql.fair"),
          room("promql.query", "promql.expr", "promql.kernel", "sample"),
          room(
              "promql.function",
              "promql.expr",
              "promql.kernel",
              "promql.query",
              "sample",
              "sample.prometheus"),
          room(
              "promql.aggregate",
              "promql.expr",
              "promql.function",
              "promql.kernel",
              "promql.query",
              "sample",
              "sample.prometheus"),
          room(
              "promql.exec",
              "promql.aggregate",
              "promql.expr",
              "promql.function",
              "promql.kernel",
              "promql.query",
              "sample",
              "sample.vocabulary"),
          room(
              "promql.fragment.form",
              "promql.expr",
              "promql.fair",
              "promql.fragment",
              "promql.kernel",
              "promql.query",
              "sample",
              "sample.gzip",
              "sample.prometheus",
              "sample.vocabulary",
              "sample.wire"),
          room(
              "promql.script",
              "promql.exec",
              "promql.expr",
              "promql.query",
              "promql.syntax",
              "sample",
              "sample.prometheus"),
          room(
              "promql.plan",
              "promql.exec",
              "promql.expr",
              "promql.function",
              "promql.query",
              "sample",
              "sample.vocabulary"),
          room(
              "promql.fragment",
              "promql.expr",
              "promql.fair",
              "promql.query",
              "sample",
              "sample.gzip",
              "sample.prometheus",
              "sample.vocabulary"),
          room("cluster.yaml"),
          room("cluster.config.key", "cluster.yaml", "sample.relabel"),
          room("cluster.heap"),
          room("cluster.config.host", "cluster.config.key"),
          room("cluster.config.discovery", "cluster.config.key"),
          room(
              "cluster.config.external",
              "cluster.config.discovery",
              "cluster.config.key",
              "sample",
              "sample.prometheus",
              "sample.relabel"),
          room(
              "cluster.config.gpu", "cluster.config.key", "sample", "sample.gpu", "sample.relabel"),
          room(
              "cluster.config",
              "cluster.config.discovery",
              "cluster.config.external",
              "cluster.config.gpu",
              "cluster.config.host",
              "cluster.config.key",
              "sample",
              "sample.relabel",
              "sample.journal",
              "sample.prometheus"),
          room("cluster.log", "cluster.config"),
          room("cluster.table", "sample.wire"),
          room(
              "cluster.member",
              "sample.files",
              "cluster.config",
              "cluster.log",
              "cluster.table",
              "cluster.trust",
              "sample.wire"),
          room("cluster.health"),
          room("cluster.trust"),
          room(
              "cluster.bus",
              "cluster.table",
              "cluster.member",
              "cluster.process",
              "cluster.trust",
              "sample.wire"),
          room("cluster.tenant", "cluster.config", "cluster.config.key"),
          room(
              "cluster.discovery",
              "cluster.config",
              "cluster.config.discovery",
              "cluster.log",
              "cluster.process",
              "cluster.yaml",
              "sample.files"),
          room(
              "cluster.process",
              "cluster.log",
              "cluster.config.key",
              "cluster.heap",
              "cluster.config",
              "cluster.tenant",
              "cluster.trust",
              "sample.files"),
          room("cluster.external", "cluster.config", "cluster.config.external", "cluster.process"),
          room("cluster.trace", "cluster.config", "cluster.process"),
          room("cluster.terminal"),
          room(
              "cluster.status",
              "cluster.config",
              "cluster.process",
              "cluster.table",
              "sample.frame"),
          room(
              "cluster.doctor",
              "cluster.config",
              "cluster.config.discovery",
              "cluster.config.key",
              "cluster.discovery",
              "cluster.log",
              "cluster.process",
              "cluster.tenant",
              "cluster.terminal",
              "cluster.trust",
              "sample.files"),
          room("probe.host.reading", "sample"),
          room("probe.host.libc"),
          room("probe.host.hardware", "probe.host.reading"),
          room("probe.host.kernel", "probe.host.libc", "probe.host.reading"),
          room("probe.host.network", "probe.host.reading"),
          room("probe.host.textfile", "probe.host.reading", "sample", "sample.prometheus"),
          room("probe.host.storage", "probe.host.libc", "probe.host.reading"),
          room(
              "probe.host",
              "cluster.config.host",
              "probe.host.hardware",
              "probe.host.kernel",
              "probe.host.libc",
              "probe.host.network",
              "probe.host.reading",
              "probe.host.storage",
              "probe.host.textfile",
              "probe.sampling",
              "sample",
              "sample.prometheus"),
          room("probe.nvml"),
          // Steps of the build.
          room("distribution.process"),
          room("distribution.training", "distribution.process", "sample.frame", "sample.wire"),
          room("distribution.manual", "cluster.process"),
          room("distribution.sbom", "distribution.process"),
          room(
              "distribution.packaging",
              "distribution.manual",
              "distribution.process",
              "distribution.sbom",
              "distribution.training"),
          room("distribution.packages"),
          room("distribution.image", "distribution.process", "distribution.sbom"),
          room("probe.counters", "sample.gpu", "sample.vocabulary"),
          room(
              "probe.page",
              "cluster.config.gpu",
              "probe.counters",
              "sample",
              "sample.gpu",
              "sample.prometheus",
              "sample.vocabulary"),
          room("probe.gpu.snapshot", "probe.nvml", "sample", "sample.gpu"),
          room("probe.gpu.reading", "probe.gpu.snapshot", "probe.nvml", "sample", "sample.gpu"),
          room(
              "probe.gpu",
              "probe.gpu.reading",
              "probe.gpu.snapshot",
              "probe.nvml",
              "probe.sampling",
              "sample",
              "sample.gpu"),
          room(
              "probe.recent",
              "cluster.config",
              "probe.gpu",
              "probe.gpu.snapshot",
              "probe.host.reading",
              "probe.sampling",
              "sample",
              "sample.files",
              "sample.gpu",
              "sample.wire"),
          room("probe.sampling", "cluster.config", "sample", "sample.relabel"),
          room("probe.attribution", "probe.gpu.snapshot", "probe.sampling", "sample", "sample.gpu"),
          room(
              "probe.scrape",
              "cluster.config.external",
              "cluster.external",
              "cluster.process",
              "probe.sampling",
              "sample",
              "sample.gzip",
              "sample.prometheus",
              "sample.relabel"),
          room(
              "probe.attribution.kubelet",
              "cluster.config.gpu",
              "cluster.log",
              "probe.attribution",
              "probe.attribution.grpc",
              "probe.attribution.runtime",
              "probe.gpu.snapshot",
              "probe.sampling",
              "sample",
              "sample.gpu",
              "sample.relabel",
              "sample.wire"),
          room(
              "probe.attribution.told",
              "cluster.process",
              "probe.attribution",
              "probe.gpu.snapshot",
              "probe.sampling",
              "sample",
              "sample.files"),
          room(
              "probe.attribution.slurm",
              "cluster.config.gpu",
              "probe.attribution",
              "probe.attribution.told",
              "probe.gpu.snapshot",
              "probe.sampling",
              "sample",
              "sample.gpu"),
          room("probe.attribution.grpc"),
          room(
              "probe.attribution.runtime",
              "cluster.config.gpu",
              "probe.attribution.grpc",
              "sample.wire"),
          room(
              "probe.attribution.process",
              "cluster.config.gpu",
              "probe.attribution",
              "probe.attribution.runtime",
              "probe.gpu.snapshot",
              "probe.sampling",
              "sample",
              "sample.gpu"),
          room("probe.xid", "probe.nvml", "probe.sampling", "sample", "sample.files", "sample.gpu"),
          room(
              "probe.uplink",
              "cluster.config",
              "cluster.process",
              "cluster.trust",
              "sample",
              "sample.frame",
              "sample.journal",
              "sample.wire"),
          room(
              "probe",
              "cluster.config.discovery",
              "cluster.config.external",
              "cluster.config.gpu",
              "cluster.config.host",
              "cluster.config.key",
              "probe.attribution",
              "probe.attribution.kubelet",
              "probe.attribution.slurm",
              "probe.attribution.told",
              "probe.attribution.process",
              "probe.attribution.runtime",
              "probe.gpu",
              "probe.gpu.snapshot",
              "probe.host",
              "probe.host.libc",
              "probe.host.reading",
              "probe.nvml",
              "probe.recent",
              "probe.counters",
              "probe.page",
              "probe.sampling",
              "probe.scrape",
              "probe.uplink",
              "probe.xid",
              "cluster.config",
              "cluster.discovery",
              "cluster.doctor",
              "cluster.process",
              "cluster.trust",
              "sample",
              "sample.files",
              "sample.prometheus"),
          room("gateway.ownership", "cluster.process", "cluster.table", "sample", "sample.frame"),
          room("gateway.store.chunk", "sample", "sample.wire"),
          room(
              "gateway.rollup",
              "gateway.store.chunk",
              "promql.aggregate",
              "promql.expr",
              "promql.kernel",
              "promql.query",
              "sample",
              "sample.wire"),
          room(
              "gateway.packing",
              "gateway.store.chunk",
              "sample",
              "sample.frame",
              "sample.journal",
              "sample.wire"),
          room("gateway.store.run", "gateway.store.chunk", "sample", "sample.wire"),
          room("gateway.store.owner", "sample"),
          room(
              "gateway.store.block",
              "gateway.rollup",
              "gateway.store.chunk",
              "gateway.store.owner",
              "gateway.store.run",
              "sample",
              "sample.files",
              "sample.wire"),
          room(
              "gateway.store.series",
              "gateway.store.block",
              "gateway.store.owner",
              "gateway.store.run",
              "promql.expr",
              "sample"),
          // Matchers find series and selections say which samples are read: these come from the
          // language and would only be copied here. Fragments are known to gateway.serve alone.
          room(
              "gateway.store.read",
              "gateway.store.owner",
              "gateway.store.run",
              "gateway.store.series",
              "promql.expr",
              "promql.query",
              "sample"),
          room(
              "gateway.store",
              "gateway.rollup",
              "gateway.store.block",
              "gateway.store.owner",
              "gateway.store.read",
              "gateway.store.run",
              "gateway.store.series",
              "cluster.process",
              "promql.expr",
              "promql.query",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.wire"),
          room("gateway.replication"),
          room("gateway.ingest.progress"),
          room(
              "gateway.ingest.silence",
              "gateway.store",
              "gateway.store.run",
              "sample",
              "sample.frame",
              "sample.wire"),
          room(
              "gateway.ingest.host",
              "gateway.ingest.progress",
              "gateway.ingest.silence",
              "gateway.ownership",
              "gateway.replication",
              "gateway.store",
              "gateway.store.read",
              "cluster.table",
              "cluster.trace",
              "sample",
              "sample.frame",
              "sample.journal",
              "sample.wire"),
          room(
              "gateway.ingest",
              "gateway.ingest.host",
              "gateway.replication",
              "gateway.store",
              "sample.frame",
              "sample.journal",
              "sample.wire",
              "cluster.process",
              "cluster.tenant",
              "cluster.trace"),
          room("gateway.stream", "sample.wire", "cluster.process", "cluster.trust"),
          room(
              "gateway.peer",
              "gateway.ingest",
              "gateway.ingest.host",
              "gateway.ingest.progress",
              "gateway.replication",
              "gateway.store",
              "gateway.store.block",
              "gateway.stream",
              "sample.frame",
              "sample.wire",
              "cluster.process",
              "cluster.trust"),
          room(
              "gateway.remotewrite",
              "gateway.ingest",
              "gateway.ingest.host",
              "gateway.ownership",
              "sample",
              "sample.relabel",
              "sample.frame",
              "sample.prometheus",
              "sample.wire",
              "cluster.process",
              "cluster.tenant"),
          room(
              "gateway.serve",
              "gateway.ownership",
              "gateway.rollup",
              "gateway.store",
              "gateway.store.read",
              "cluster.process",
              "cluster.table",
              "cluster.trace",
              "promql.exec",
              "promql.expr",
              "promql.fair",
              "promql.fragment",
              "promql.fragment.form",
              "promql.function",
              "promql.plan",
              "promql.query",
              "promql.syntax",
              "sample",
              "sample.gzip",
              "sample.prometheus",
              "sample.vocabulary",
              "sample.wire"),
          room(
              "gateway.backup",
              "gateway.ingest",
              "gateway.ingest.host",
              "gateway.store",
              "gateway.store.block",
              "gateway.store.owner",
              "gateway.store.read",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.wire",
              "cluster.process",
              "cluster.table"),
          room(
              "gateway",
              "cluster.bus",
              "gateway.backup",
              "gateway.ingest",
              "gateway.ingest.host",
              "gateway.ownership",
              "gateway.packing",
              "gateway.peer",
              "gateway.remotewrite",
              "gateway.rollup",
              "gateway.serve",
              "gateway.status",
              "gateway.store",
              "gateway.store.owner",
              "gateway.stream",
              "cluster.config",
              "cluster.config.key",
              "cluster.discovery",
              "cluster.doctor",
              "cluster.member",
              "cluster.process",
              "cluster.status",
              "cluster.table",
              "cluster.tenant",
              "cluster.trace",
              "cluster.trust",
              "promql.expr",
              "promql.syntax",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.journal",
              "sample.relabel"),
          room(
              "gateway.status",
              "cluster.config",
              "cluster.process",
              "cluster.status",
              "cluster.tenant",
              "gateway.ingest",
              "gateway.store",
              "gateway.store.block",
              "gateway.store.read",
              "gateway.store.series",
              "sample",
              "sample.gpu",
              "sample.journal"),
          room(
              "query.shards",
              "promql.expr",
              "promql.fair",
              "promql.fragment",
              "promql.plan",
              "promql.query",
              "cluster.trace",
              "sample",
              "sample.prometheus"),
          room(
              "query.fanout",
              "query.shards",
              "cluster.process",
              "cluster.table",
              "cluster.trace",
              "promql.exec",
              "promql.expr",
              "promql.fair",
              "promql.fragment",
              "promql.fragment.form",
              "promql.plan",
              "promql.query",
              "sample",
              "sample.prometheus",
              "sample.frame"),
          room("query.admission", "query.shards", "cluster.process", "promql.fair", "promql.query"),
          room(
              "query.cache",
              "query.shards",
              "promql.expr",
              "promql.fragment",
              "promql.query",
              "sample",
              "sample.gzip"),
          room(
              "query.estimate",
              "query.admission",
              "query.shards",
              "cluster.process",
              "promql.expr",
              "promql.fair",
              "promql.query",
              "sample"),
          room("query.slow"),
          room("query.fold", "query.shards", "promql.query", "sample"),
          room(
              "query.lines",
              "promql.fragment",
              "promql.kernel",
              "sample",
              "sample.gzip",
              "sample.prometheus"),
          room("query.scope", "promql.expr", "promql.query", "promql.syntax"),
          room(
              "query.answer",
              "query.lines",
              "query.scope",
              "query.admission",
              "query.cache",
              "query.estimate",
              "query.fold",
              "query.shards",
              "query.slow",
              "cluster.config",
              "cluster.process",
              "cluster.trace",
              "promql.exec",
              "promql.expr",
              "promql.fair",
              "promql.fragment",
              "promql.plan",
              "promql.query",
              "promql.syntax",
              "sample",
              "sample.prometheus",
              "sample.vocabulary",
              "sample.frame"),
          room(
              "query.http",
              "query.answer",
              "cluster.config",
              "query.cache",
              "cluster.process",
              "cluster.tenant",
              "cluster.trace",
              "promql.expr",
              "promql.plan",
              "promql.query",
              "promql.syntax",
              "sample"),
          room(
              "query.prometheus",
              "cluster.bus",
              "query.answer",
              "query.cache",
              "query.http",
              "query.admission",
              "cluster.config",
              "cluster.process",
              "cluster.status",
              "promql.expr",
              "promql.fragment",
              "promql.query",
              "sample",
              "sample.prometheus",
              "sample.wire"),
          room(
              "query.operate",
              "cluster.config",
              "cluster.status",
              "promql.expr",
              "promql.query",
              "query.answer",
              "query.http",
              "query.slow",
              "sample"),
          room("query.terminal", "cluster.process", "cluster.terminal"),
          room(
              "query.rules.backfill",
              "promql.expr",
              "query.rules.definition",
              "query.rules.evaluation",
              "sample"),
          room(
              "query.rules.unittest",
              "cluster.yaml",
              "promql.exec",
              "promql.expr",
              "promql.query",
              "promql.script",
              "promql.syntax",
              "query.rules.definition",
              "query.rules.evaluation",
              "sample",
              "sample.prometheus"),
          room(
              "query.rules.definition",
              "cluster.yaml",
              "promql.expr",
              "promql.syntax",
              "query.rules.template"),
          room(
              "query.rules.source",
              "cluster.config",
              "cluster.process",
              "query.rules.definition",
              "sample.files",
              "sample.wire"),
          room(
              "query.rules.api",
              "promql.expr",
              "promql.query",
              "promql.syntax",
              "query.http",
              "query.rules.definition",
              "query.rules.evaluation",
              "query.rules.source",
              "sample.prometheus"),
          room(
              "query.rules.template",
              "promql.expr",
              "promql.query",
              "sample",
              "sample.prometheus",
              "sample.regexp"),
          room(
              "query.rules.evaluation",
              "query.rules.definition",
              "query.rules.template",
              "promql.aggregate",
              "promql.expr",
              "promql.query",
              "promql.syntax",
              "sample",
              "sample.wire"),
          room(
              "query.rules.notify",
              "cluster.config.discovery",
              "cluster.config.external",
              "cluster.discovery",
              "cluster.external",
              "cluster.log",
              "cluster.process",
              "query.rules.evaluation",
              "sample",
              "sample.relabel"),
          room(
              "query.rules.ownership",
              "query.rules.definition",
              "query.rules.evaluation",
              "sample"),
          room(
              "query.rules.running",
              "cluster.config",
              "cluster.log",
              "cluster.process",
              "cluster.table",
              "cluster.tenant",
              "promql.expr",
              "promql.plan",
              "promql.query",
              "query.admission",
              "query.answer",
              "query.rules.definition",
              "query.rules.evaluation",
              "query.rules.notify",
              "query.rules.ownership",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.prometheus",
              "sample.wire"),
          room(
              "query.grafana",
              "query.answer",
              "query.http",
              "cluster.config",
              "promql.expr",
              "promql.query",
              "promql.syntax",
              "sample",
              "sample.prometheus"),
          room(
              "query.federate",
              "query.answer",
              "query.http",
              "cluster.config",
              "promql.expr",
              "promql.fragment",
              "promql.query",
              "sample",
              "sample.gzip",
              "sample.prometheus"),
          room(
              "query.report",
              "query.answer",
              "query.fold",
              "query.http",
              "cluster.config",
              "promql.expr",
              "promql.query",
              "sample",
              "sample.prometheus"),
          room(
              "query.backup",
              "cluster.config",
              "cluster.process",
              "cluster.trust",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.wire"),
          room(
              "query",
              "cluster.bus",
              "query.backup",
              "query.admission",
              "query.answer",
              "query.fanout",
              "query.federate",
              "query.grafana",
              "query.http",
              "query.operate",
              "query.prometheus",
              "query.report",
              "query.rules.backfill",
              "query.rules.definition",
              "query.rules.unittest",
              "query.terminal",
              "cluster.config",
              "cluster.config.external",
              "cluster.config.key",
              "cluster.discovery",
              "cluster.doctor",
              "cluster.member",
              "cluster.process",
              "cluster.status",
              "cluster.table",
              "cluster.tenant",
              "cluster.trace",
              "promql.expr",
              "promql.script",
              "promql.syntax",
              "sample",
              "sample.prometheus",
              "sample.regexp",
              "sample.vocabulary",
              "query.rules.api",
              "query.rules.notify",
              "query.rules.running",
              "query.rules.source",
              "query.rules.template",
              "sample.frame"),
          room(
              "load.fleet",
              "cluster.config",
              "cluster.process",
              "gateway",
              "query",
              "sample",
              "sample.journal"),
          room(
              "load.chaos",
              "cluster.log",
              "load.fleet",
              "cluster.config",
              "cluster.process",
              "probe.uplink",
              "sample"),
          room("load.traffic", "load.fleet", "sample", "sample.frame"),
          room("load.system", "load.fleet", "cluster.process"),
          room(
              "load.measure",
              "load.fleet",
              "load.system",
              "load.traffic",
              "cluster.process",
              "sample",
              "sample.frame",
              "sample.wire"),
          room("load.nodes.driver", "probe.gpu", "probe.nvml"),
          room(
              "load.nodes",
              "load.nodes.driver",
              "cluster.config",
              "probe.gpu",
              "probe.nvml",
              "probe.sampling",
              "probe.xid",
              "sample",
              "sample.gpu",
              "sample.prometheus",
              "sample.relabel"),
          room(
              "load.demo",
              "cluster.log",
              "load.fleet",
              "load.nodes",
              "cluster.config",
              "cluster.config.external",
              "cluster.config.gpu",
              "cluster.config.host",
              "cluster.process",
              "cluster.table",
              "query",
              "probe",
              "probe.uplink",
              "sample",
              "sample.relabel"),
          room(
              "load.compare",
              "load.fleet",
              "cluster.process",
              "cluster.table",
              "gateway",
              "probe.uplink",
              "query",
              "sample"),
          room(
              "load.benchmark",
              "gateway.rollup",
              "gateway.store.chunk",
              "promql.exec",
              "promql.expr",
              "promql.kernel",
              "promql.query",
              "promql.syntax",
              "sample",
              "sample.decimal",
              "sample.frame",
              "sample.prometheus",
              "sample.wire"));

  /** Third-party packages and the only rooms that may know them. */
  private static final Map<String, Set<String>> LIBRARIES =
      Map.ofEntries(
          library(
              "io.vertx.",
              "cluster.bus",
              "cluster.discovery",
              "cluster.doctor",
              "cluster.external",
              "cluster.process",
              "cluster.status",
              "probe",
              "probe.scrape",
              "probe.attribution.kubelet",
              "probe.attribution.told",
              "probe.attribution.grpc",
              "probe.attribution.runtime",
              "probe.uplink",
              "gateway",
              "gateway.backup",
              "gateway.ingest",
              "gateway.peer",
              "gateway.remotewrite",
              "gateway.serve",
              "gateway.status",
              "gateway.stream",
              "query",
              "query.admission",
              "query.answer",
              "query.backup",
              "query.cache",
              "query.estimate",
              "query.fanout",
              "query.federate",
              "query.fold",
              "query.grafana",
              "query.http",
              "query.operate",
              "query.prometheus",
              "query.report",
              "query.rules.api",
              "query.rules.notify",
              "query.rules.source",
              "query.rules.running",
              "query.shards",
              "query.terminal",
              "load.chaos",
              "load.compare",
              "load.demo"),
          library("io.netty.", "cluster.process"),
          library("com.hazelcast.", "cluster.bus", "cluster.member"),
          library("org.bouncycastle.", "cluster.tenant"),
          library("org.roaringbitmap.", "gateway.store.series"),
          library("jnr.", "probe.host.libc", "probe.nvml", "load.nodes.driver"),
          library(
              "com.github.benmanes.caffeine.",
              "gateway.serve",
              "gateway.store",
              "query.answer",
              "query.estimate",
              "query.cache",
              "query.federate"),
          library("com.google.re2j.", "sample.regexp"),
          library("net.jpountz.", "promql.aggregate"),
          library("ch.qos.logback.", "cluster.log"),
          library(
              "com.fasterxml.jackson.",
              "cluster.config.key",
              "cluster.discovery",
              "cluster.yaml",
              "probe.attribution.slurm",
              "probe.attribution.told",
              "query.grafana",
              "query.http",
              "query.operate",
              "query.prometheus",
              "query.report",
              "query.rules.api",
              "query.rules.notify",
              "distribution.image",
              "load.chaos",
              "load.compare",
              "load.measure"),
          library("org.apache.commons.compress.", "distribution.image", "distribution.packages"),
          library("org.cyclonedx.", "distribution.image", "distribution.sbom"),
          library("com.github.packageurl.", "distribution.image"),
          library("io.prometheus.metrics.", "cluster.process"),
          library("io.opentelemetry.", "cluster.trace"),
          library("com.google.protobuf.", "load.fleet"),
          library("org.eclipse.packager.", "distribution.packages"),
          library(
              "org.xerial.snappy.",
              "distribution.training",
              "gateway.remotewrite",
              "query",
              "query.prometheus",
              "query.rules.running",
              "load.fleet"),
          library(
              "picocli.",
              "cluster.doctor",
              "cluster.process",
              "distribution.manual",
              "probe",
              "gateway",
              "query",
              "query.terminal",
              "load.chaos",
              "load.compare",
              "load.demo",
              "load.measure"),
          library(
              "org.yaml.snakeyaml.",
              "cluster.yaml",
              "query.rules.definition",
              "query.rules.unittest"),
          library("software.amazon.awssdk.", "query.backup"),
          library("org.openjdk.jmh.", "load.benchmark"));

  /** Open to every room: the JDK, logging, and what the compiler itself puts in. */
  private static final List<String> EVERYWHERE = List.of("java.", "javax.", "org.slf4j.");

  private static final Pattern VAGUE =
      Pattern.compile(
          // Alertmanager is a program's name.
          "(?i:(?!alertmanagers?$).*(utils?|helpers?|managers?|impl|common|misc|service|stuff))"
              + "|(I|Abstract)[A-Z].*");

  private static final JavaClasses CLASSES = importClasses();

  private static Map.Entry<String, Set<String>> room(String name, String... mayKnow) {
    return Map.entry(name, Set.of(mayKnow));
  }

  private static Map.Entry<String, Set<String>> library(String packages, String... rooms) {
    return Map.entry(packages, Set.of(rooms));
  }

  private static JavaClasses importClasses() {
    List<Path> folders =
        MODULES.keySet().stream()
            .map(module -> ROOT.resolve(module).resolve("target/classes"))
            .toList();
    assertThat(folders).allMatch(Files::isDirectory);
    return new ClassFileImporter().importPaths(folders);
  }

  private static String roomOf(JavaClass type) {
    return type.getPackageName().substring(BASE.length());
  }

  private static boolean isOurs(JavaClass type) {
    return type.getPackageName().startsWith(BASE)
        // The benchmark harness generates classes into a package of its own.
        && !type.getPackageName().contains("jmh_generated");
  }

  @Test
  void noPackagesFormACycle() {
    slices().matching("io.fleetgauge.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void everyArrowBetweenRoomsIsDeclaredAndUsed() throws IOException {
    TreeSet<String> declared = new TreeSet<>();
    ARROWS.forEach((room, all) -> all.forEach(target -> declared.add(room + " -> " + target)));
    TreeSet<String> found = new TreeSet<>(arrowsOfBytecode());
    found.addAll(arrowsOfImports());
    assertThat(found).containsExactlyInAnyOrderElementsOf(declared);
  }

  private static Set<String> arrowsOfBytecode() {
    TreeSet<String> arrows = new TreeSet<>();
    for (JavaClass type : CLASSES) {
      if (isOurs(type)) {
        assertThat(ARROWS).as("the rooms that TidyTest declares").containsKey(roomOf(type));
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass().getBaseComponentType();
          if (isOurs(target) && !roomOf(target).equals(roomOf(type))) {
            arrows.add(roomOf(type) + " -> " + roomOf(target));
          }
        }
      }
    }
    return arrows;
  }

  /** Imports show what bytecode does not: types that stand in a pattern or a type argument only. */
  private static Set<String> arrowsOfImports() throws IOException {
    Pattern imported = Pattern.compile("import (?:static )?io\\.fleetgauge\\.([a-z.]+)\\.[A-Z].*");
    TreeSet<String> arrows = new TreeSet<>();
    for (Path source : sources("src/main/java")) {
      Path folder = source.getParent();
      Path java = folder;
      while (!java.getFileName().toString().equals("java")) {
        java = java.getParent();
      }
      String room = java.relativize(folder).toString().replace('/', '.').substring(BASE.length());
      for (String line : Files.readAllLines(source)) {
        var matcher = imported.matcher(line);
        if (matcher.matches() && !matcher.group(1).equals(room)) {
          arrows.add(room + " -> " + matcher.group(1));
        }
      }
    }
    return arrows;
  }

  /**
   * What threads of the data path may call: they leave word and read what is there. Whatever calls
   * Hazelcast does so in a task for the cluster's own thread.
   */
  @Test
  void noThreadOfTheDataPathCallsHazelcast() {
    Set<String> quick =
        Set.of("view", "onChange", "register", "report", "activate", "retire", "look");
    JavaClass member =
        CLASSES.stream()
            .filter(type -> type.getSimpleName().equals("ClusterMember"))
            .findFirst()
            .orElseThrow();
    Set<String> checked = new TreeSet<>();
    for (JavaMethod method : member.getMethods()) {
      if (quick.contains(method.getName())) {
        checked.add(method.getName());
        assertThat(method.getMethodCallsFromSelf())
            .as(method.getName())
            .filteredOn(call -> !call.isDeclaredInLambda())
            .noneMatch(
                call ->
                    call.getTargetOwner().getPackageName().startsWith("com.hazelcast")
                        || call.getTargetOwner().getSimpleName().equals("Registry"));
      }
    }
    assertThat(checked).isEqualTo(quick);
  }

  /**
   * Who owns a host is decided once: everyone else, the cluster simulation included, has the
   * machines decide.
   */
  @Test
  void onlyTheMachinesDecideOnTheTable() {
    Map<String, Set<String>> decisions =
        Map.of(
            BASE + "cluster.table.Assignment", Set.of(),
            BASE + "cluster.table.OwnershipTable", Set.of("isMajority", "nextEpoch"));
    JavaClasses simulation =
        new ClassFileImporter()
            .importPath(ROOT.resolve("load-test/target/test-classes/io/fleetgauge/load/sim"));
    TreeSet<String> found = new TreeSet<>();
    TreeSet<String> machines = new TreeSet<>();
    Stream.concat(CLASSES.stream(), simulation.stream())
        .filter(type -> isOurs(type) && !roomOf(type).equals("cluster.table"))
        .flatMap(type -> type.getCodeUnitAccessesFromSelf().stream())
        .forEach(
            access -> {
              String target = access.getTargetOwner().getName();
              Set<String> methods = decisions.get(target);
              if (methods != null && (methods.isEmpty() || methods.contains(access.getName()))) {
                found.add(access.getDescription());
              }
              if (roomOf(access.getOriginOwner()).equals("load.sim")) {
                machines.add(target.substring(target.lastIndexOf('.') + 1));
              }
            });
    assertThat(found).isEmpty();
    assertThat(machines)
        .as("what the simulation executes")
        .contains("TableMachine", "Admittance", "LaneHosts", "HostIntake", "FragmentRunner");
  }

  @Test
  void modulesKnowOnlyTheModulesThatTheDesignLetsThemKnow() throws IOException {
    Map<String, Set<String>> mayKnow =
        Map.of(
            "sample-model", Set.of(),
            "promql", Set.of("sample-model"),
            "cluster-config", Set.of("sample-model"),
            "node-probe", Set.of("cluster-config", "sample-model"),
            "shard-gateway", Set.of("promql", "cluster-config", "sample-model"),
            "query-api", Set.of("promql", "cluster-config", "sample-model"));
    for (var module : mayKnow.entrySet()) {
      String pom = Files.readString(ROOT.resolve(module.getKey()).resolve("pom.xml"));
      int at = pom.indexOf("<dependencies>");
      String dependencies = at < 0 ? "" : pom.substring(at);
      for (String other : MODULES.keySet()) {
        boolean depends = dependencies.contains("<artifactId>" + other + "</artifactId>");
        assertThat(depends && !module.getValue().contains(other))
            .as("%s depends on %s", module.getKey(), other)
            .isFalse();
      }
    }
  }

  @Test
  void everyLibraryStaysInTheRoomsThatMayKnowIt() {
    TreeSet<String> strays = new TreeSet<>();
    for (JavaClass type : CLASSES) {
      if (isOurs(type)) {
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass().getBaseComponentType();
          String name = target.getName();
          if (target.isPrimitive()
              || name.startsWith(BASE)
              || EVERYWHERE.stream().anyMatch(name::startsWith)) {
            continue;
          }
          Set<String> rooms =
              LIBRARIES.entrySet().stream()
                  .filter(library -> name.startsWith(library.getKey()))
                  .map(Map.Entry::getValue)
                  .findFirst()
                  .orElse(Set.of());
          if (!rooms.contains(roomOf(type))) {
            strays.add(roomOf(type) + " knows " + target.getPackageName());
          }
        }
      }
    }
    assertThat(strays).isEmpty();
  }

  /** Files that another package creates could be read by other users of the machine. */
  @Test
  void onlyOnePackageCreatesFilesAndFolders() {
    Set<String> creating =
        Set.of(
            "java.nio.file.Files.copy",
            "java.nio.file.Files.createDirectories",
            "java.nio.file.Files.createDirectory",
            "java.nio.file.Files.createFile",
            "java.nio.file.Files.createTempDirectory",
            "java.nio.file.Files.createTempFile",
            "java.nio.file.Files.newBufferedWriter",
            "java.nio.file.Files.newByteChannel",
            "java.nio.file.Files.newOutputStream",
            "java.nio.file.Files.write",
            "java.nio.file.Files.writeString",
            "java.nio.channels.FileChannel.open",
            "java.nio.channels.AsynchronousFileChannel.open",
            "java.io.File.createTempFile",
            "java.io.File.mkdir",
            "java.io.File.mkdirs",
            "java.io.FileOutputStream.<init>",
            "java.io.FileWriter.<init>",
            "java.io.PrintWriter.<init>",
            "java.io.RandomAccessFile.<init>",
            "io.vertx.core.Vertx.fileSystem");
    TreeSet<String> found = new TreeSet<>();
    CLASSES.stream()
        .filter(type -> isOurs(type) && !roomOf(type).startsWith("load."))
        .flatMap(type -> type.getCodeUnitAccessesFromSelf().stream())
        .filter(
            access -> creating.contains(access.getTargetOwner().getName() + "." + access.getName()))
        .forEach(access -> found.add(roomOf(access.getOriginOwner())));
    assertThat(found).containsExactly("sample.files");
  }

  /** A gateway reads bodies by Guard, which checks that a signed request has the signed body. */
  @Test
  void bodiesAreReadWhereTheyAreCheckedOrWhereOnlyTokensAreAccepted() {
    TreeSet<String> readers = new TreeSet<>();
    for (JavaClass type : CLASSES) {
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        if (isOurs(type) && dependency.getTargetClass().getSimpleName().equals("BodyHandler")) {
          readers.add(roomOf(type));
        }
      }
    }
    assertThat(readers).containsExactly("cluster.process", "probe.attribution.told", "query.http");
  }

  @Test
  void everyRoomOpensWithItsPackageInfo() throws IOException {
    for (Path source : sources("src/main/java")) {
      Path info = source.resolveSibling("package-info.java");
      assertThat(info).exists();
      assertThat(Files.readString(info)).as("%s", info).contains("/**").contains("In:");
    }
  }

  @Test
  void noNameIsVague() throws IOException {
    for (Path source : sources("src")) {
      String type = source.getFileName().toString().replace(".java", "");
      assertThat(VAGUE.matcher(type).matches()).as("the name %s says nothing", type).isFalse();
      for (Path part : ROOT.relativize(source.getParent())) {
        assertThat(VAGUE.matcher(part.toString()).matches())
            .as("the name %s says nothing", part)
            .isFalse();
      }
    }
  }

  @Test
  void everySourceIsFormatted() throws IOException, FormatterException {
    Formatter formatter = new Formatter(JavaFormatterOptions.defaultOptions());
    List<Path> unformatted = new ArrayList<>();
    for (Path source : sources("src")) {
      String text = Files.readString(source);
      String ordered =
          RemoveUnusedImports.removeUnusedImports(
              ImportOrderer.reorderImports(text, JavaFormatterOptions.Style.GOOGLE));
      if (!formatter.formatSource(ordered).equals(text)) {
        unformatted.add(ROOT.relativize(source));
      }
    }
    assertThat(unformatted).as("run `./fleetgauge format`").isEmpty();
  }

  @Test
  void theLauncherAndTheTestsRunWithTheSameFlags() throws IOException {
    Path flags = ROOT.resolve("distribution/src/main/jvm");
    assertThat(flags.resolve("member.flags")).content().contains("--add-opens=");
    for (String file : List.of("pom.xml", "fleetgauge", "distribution/src/main/bin/fleetgauge")) {
      assertThat(ROOT.resolve(file))
          .content()
          .as("%s names the files in distribution/src/main/jvm", file)
          .contains("common.flags")
          .doesNotContain("--add-opens", "--enable-native-access", "-Xss");
    }
  }

  private static List<Path> sources(String folder) throws IOException {
    List<Path> sources = new ArrayList<>();
    Set<String> modules = new TreeSet<>(MODULES.keySet());
    modules.add("distribution"); // no part of it is installed
    for (String module : modules) {
      Path top = ROOT.resolve(module).resolve(folder);
      try (Stream<Path> files = Files.isDirectory(top) ? Files.walk(top) : Stream.empty()) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
      }
    }
    assertThat(sources).hasSizeGreaterThan(50);
    return sources;
  }
}
