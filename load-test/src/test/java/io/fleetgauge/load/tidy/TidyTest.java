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
import java.util.TreeMap;
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
          "runtime", "runtime",
          "cluster-config", "cluster",
          "node-probe", "probe",
          "shard-gateway", "gateway",
          "query-api", "query",
          "operator", "operator",
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
          room("promql.query", "promql.expr", "promql.kernel", "sample"),
          room("promql.fair", "promql.query"),
          room(
              "promql.function",
              "promql.expr",
              "promql.kernel",
              "promql.query",
              "promql.usage.series",
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
              "promql.kernel",
              "promql.lookup",
              "promql.query",
              "promql.usage",
              "sample",
              "sample.vocabulary",
              "sample.wire"),
          room("promql.script", "promql.expr", "promql.query", "promql.syntax", "sample"),
          room(
              "promql.plan",
              "promql.exec",
              "promql.expr",
              "promql.function",
              "promql.query",
              "promql.syntax",
              "promql.usage.series",
              "sample",
              "sample.vocabulary"),
          room(
              "promql.fragment",
              "promql.exec",
              "promql.expr",
              "promql.fair",
              "promql.fragment.form",
              "promql.lookup",
              "promql.plan",
              "promql.query",
              "promql.syntax",
              "promql.usage",
              "sample",
              "sample.gzip",
              "sample.prometheus",
              "sample.wire"),
          room("promql.lookup", "promql.expr", "sample", "sample.gzip"),
          room(
              "promql.usage",
              "promql.expr",
              "promql.lookup",
              "promql.query",
              "sample",
              "sample.gpu"),
          room(
              "promql.usage.series",
              "promql.expr",
              "promql.lookup",
              "promql.query",
              "promql.usage",
              "sample"),
          room("runtime.files"),
          room("runtime.config", "runtime.key"),
          room("cluster.config", "runtime.config", "runtime.key"),
          room(
              "probe.config",
              "runtime.config",
              "runtime.key",
              "sample",
              "sample.gpu",
              "sample.prometheus",
              "sample.relabel"),
          room(
              "gateway.config",
              "cluster.config",
              "gateway.otlp",
              "gateway.sender",
              "gateway.store.owner",
              "promql.expr",
              "promql.syntax",
              "runtime.config",
              "runtime.key",
              "sample.gpu",
              "sample.journal",
              "sample.prometheus",
              "sample.relabel"),
          room(
              "query.config",
              "cluster.config",
              "promql.expr",
              "promql.syntax",
              "query.faults.engine",
              "runtime.config",
              "runtime.key",
              "sample",
              "sample.gpu",
              "sample.relabel"),
          room("runtime.yaml"),
          room("runtime.key", "runtime.yaml", "sample.relabel"),
          room("runtime.log", "runtime.config"),
          room("cluster.table", "sample.wire"),
          room(
              "cluster.member",
              "cluster.config",
              "cluster.table",
              "runtime.log",
              "runtime.trust",
              "sample.files",
              "sample.wire"),
          room("runtime.trust"),
          room(
              "cluster.bus",
              "cluster.member",
              "cluster.table",
              "runtime.http",
              "runtime.process",
              "runtime.trust",
              "sample.wire"),
          room(
              "runtime.http",
              "runtime.config",
              "runtime.files",
              "runtime.key",
              "runtime.process",
              "runtime.tenant",
              "runtime.trust",
              "sample.files"),
          room("runtime.tenant", "runtime.config", "runtime.key"),
          room(
              "runtime.discovery",
              "runtime.config",
              "runtime.http",
              "runtime.log",
              "runtime.process",
              "runtime.yaml",
              "sample.files"),
          room(
              "runtime.process",
              "runtime.config",
              "runtime.key",
              "runtime.log",
              "runtime.terminal",
              "sample.files"),
          room("runtime.trace", "runtime.config", "runtime.process"),
          room("runtime.terminal"),
          room(
              "cluster.status",
              "cluster.config",
              "cluster.table",
              "runtime.doctor",
              "runtime.http",
              "runtime.process",
              "sample.frame"),
          room("cluster.limits", "cluster.peers", "sample.wire"),
          room("cluster.peers", "runtime.http", "sample.wire"),
          room(
              "runtime.doctor",
              "runtime.config",
              "runtime.discovery",
              "runtime.http",
              "runtime.key",
              "runtime.log",
              "runtime.process",
              "runtime.tenant",
              "runtime.terminal",
              "runtime.trust",
              "sample.files"),
          room("probe.host.reading", "sample"),
          room("probe.host.hardware", "probe.host.reading"),
          room("probe.host.kernel", "probe.host.reading"),
          room("probe.host.network", "probe.host.reading"),
          room("probe.host.storage", "probe.host.reading"),
          room(
              "probe.host",
              "probe.config",
              "probe.host.hardware",
              "probe.host.kernel",
              "probe.host.network",
              "probe.host.reading",
              "probe.host.storage",
              "probe.sampling",
              "runtime.process",
              "sample",
              "sample.prometheus"),
          room("probe.nvml"),
          room("distribution.process", "sample.files"),
          room(
              "distribution.training",
              "distribution.process",
              "sample.frame",
              "sample.prometheus",
              "sample.wire"),
          room(
              "distribution.packages",
              "distribution.process",
              "distribution.training",
              "runtime.process",
              "sample.files"),
          room(
              "distribution.image",
              "distribution.packages",
              "distribution.process",
              "sample.files"),
          room("probe.gpu.snapshot", "probe.nvml", "sample", "sample.gpu"),
          room("probe.gpu.reading", "probe.gpu.snapshot", "probe.nvml", "sample", "sample.gpu"),
          room(
              "probe.gpu",
              "probe.gpu.reading",
              "probe.gpu.snapshot",
              "probe.nvml",
              "probe.sampling",
              "runtime.process",
              "sample",
              "sample.gpu"),
          room(
              "probe.faults",
              "probe.config",
              "probe.gpu",
              "probe.gpu.snapshot",
              "probe.host.reading",
              "probe.sampling",
              "sample",
              "sample.files",
              "sample.gpu",
              "sample.wire"),
          room(
              "probe.sampling",
              "probe.config",
              "runtime.process",
              "sample",
              "sample.gpu",
              "sample.relabel"),
          room("probe.attribution", "probe.gpu.snapshot", "probe.sampling", "sample"),
          room(
              "probe.scrape",
              "probe.config",
              "probe.sampling",
              "runtime.files",
              "runtime.http",
              "runtime.process",
              "sample",
              "sample.gzip",
              "sample.prometheus",
              "sample.relabel"),
          room(
              "probe.attribution.kubelet",
              "probe.attribution",
              "probe.attribution.runtime",
              "probe.config",
              "probe.gpu.snapshot",
              "probe.sampling",
              "runtime.log",
              "sample",
              "sample.relabel",
              "sample.wire"),
          room(
              "probe.attribution.allocation",
              "probe.attribution",
              "probe.gpu.snapshot",
              "probe.sampling",
              "runtime.process",
              "sample",
              "sample.files"),
          room(
              "probe.attribution.slurm",
              "probe.attribution",
              "probe.attribution.allocation",
              "probe.config",
              "probe.gpu.snapshot",
              "probe.sampling",
              "sample",
              "sample.gpu"),
          room("probe.attribution.runtime", "probe.config", "runtime.http", "sample.wire"),
          room(
              "probe.attribution.process",
              "probe.attribution",
              "probe.attribution.runtime",
              "probe.config",
              "probe.gpu.snapshot",
              "probe.sampling",
              "sample",
              "sample.gpu"),
          room(
              "probe.nccl",
              "probe.config",
              "probe.gpu.snapshot",
              "probe.host.reading",
              "probe.sampling",
              "sample",
              "sample.prometheus"),
          room("probe.xid", "probe.nvml", "probe.sampling", "sample", "sample.files", "sample.gpu"),
          room(
              "probe.uplink",
              "runtime.config",
              "runtime.http",
              "runtime.process",
              "runtime.trust",
              "sample",
              "sample.frame",
              "sample.journal",
              "sample.wire"),
          room(
              "probe",
              "probe.attribution",
              "probe.attribution.allocation",
              "probe.attribution.kubelet",
              "probe.attribution.process",
              "probe.attribution.runtime",
              "probe.attribution.slurm",
              "probe.config",
              "probe.dcgm",
              "probe.faults",
              "probe.gpu",
              "probe.gpu.reading",
              "probe.gpu.snapshot",
              "probe.host",
              "probe.host.reading",
              "probe.nccl",
              "probe.nvml",
              "probe.sampling",
              "probe.scrape",
              "probe.uplink",
              "probe.xid",
              "runtime.config",
              "runtime.discovery",
              "runtime.doctor",
              "runtime.files",
              "runtime.http",
              "runtime.key",
              "runtime.process",
              "runtime.trust",
              "sample",
              "sample.gpu",
              "sample.prometheus"),
          room(
              "probe.dcgm",
              "probe.config",
              "sample",
              "sample.gpu",
              "sample.prometheus",
              "sample.vocabulary"),
          room("gateway.ownership", "cluster.table", "runtime.process"),
          room("gateway.store.chunk", "sample", "sample.wire"),
          room(
              "gateway.rollup",
              "gateway.store.chunk",
              "promql.aggregate",
              "promql.expr",
              "promql.kernel",
              "promql.plan",
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
          room("gateway.store.owner", "sample", "sample.gpu"),
          room(
              "gateway.store.block",
              "gateway.rollup",
              "gateway.store.chunk",
              "gateway.store.owner",
              "gateway.store.run",
              "promql.plan",
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
          room(
              "gateway.store.read",
              "gateway.store.owner",
              "gateway.store.run",
              "gateway.store.series",
              "promql.expr",
              "promql.lookup",
              "promql.query",
              "sample"),
          room(
              "gateway.usage",
              "gateway.store.block",
              "promql.fragment.form",
              "promql.usage",
              "runtime.process",
              "sample.wire"),
          room(
              "gateway.store",
              "gateway.rollup",
              "gateway.store.block",
              "gateway.store.owner",
              "gateway.store.read",
              "gateway.store.run",
              "gateway.store.series",
              "gateway.usage",
              "promql.expr",
              "promql.lookup",
              "promql.query",
              "runtime.process",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.wire"),
          room("gateway.replication"),
          room(
              "gateway.ingest.host",
              "cluster.table",
              "gateway.ownership",
              "gateway.replication",
              "gateway.store",
              "gateway.store.read",
              "gateway.store.run",
              "runtime.trace",
              "sample",
              "sample.frame",
              "sample.journal",
              "sample.wire"),
          room(
              "gateway.ingest",
              "cluster.table",
              "gateway.ingest.host",
              "gateway.replication",
              "gateway.store",
              "gateway.store.block",
              "gateway.usage",
              "promql.lookup",
              "promql.query",
              "promql.usage",
              "runtime.http",
              "runtime.process",
              "runtime.tenant",
              "runtime.trace",
              "sample",
              "sample.frame",
              "sample.journal",
              "sample.wire"),
          room("gateway.stream", "runtime.http", "runtime.process", "runtime.trust", "sample.wire"),
          room(
              "gateway.peer",
              "cluster.table",
              "gateway.ingest",
              "gateway.ingest.host",
              "gateway.replication",
              "gateway.store",
              "gateway.store.block",
              "gateway.stream",
              "gateway.usage",
              "runtime.http",
              "runtime.trust",
              "sample.frame",
              "sample.wire"),
          room(
              "gateway.remotewrite",
              "gateway.ingest",
              "gateway.ingest.host",
              "runtime.http",
              "runtime.process",
              "runtime.tenant",
              "sample",
              "sample.frame",
              "sample.prometheus",
              "sample.relabel",
              "sample.wire"),
          room(
              "gateway.serve",
              "cluster.table",
              "gateway.ownership",
              "gateway.rollup",
              "gateway.store",
              "gateway.store.block",
              "gateway.store.read",
              "gateway.usage",
              "promql.exec",
              "promql.expr",
              "promql.fair",
              "promql.fragment",
              "promql.fragment.form",
              "promql.function",
              "promql.lookup",
              "promql.plan",
              "promql.query",
              "promql.syntax",
              "promql.usage",
              "runtime.http",
              "runtime.process",
              "runtime.trace",
              "sample",
              "sample.frame",
              "sample.gzip",
              "sample.prometheus",
              "sample.wire"),
          room(
              "gateway.backup",
              "cluster.table",
              "gateway.ingest",
              "gateway.ingest.host",
              "gateway.store",
              "gateway.store.block",
              "gateway.store.owner",
              "gateway.store.read",
              "gateway.usage",
              "runtime.http",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.wire"),
          room(
              "gateway",
              "cluster.bus",
              "cluster.config",
              "cluster.member",
              "cluster.status",
              "cluster.table",
              "gateway.backup",
              "gateway.config",
              "gateway.ingest",
              "gateway.ingest.host",
              "gateway.otlp",
              "gateway.ownership",
              "gateway.packing",
              "gateway.peer",
              "gateway.remotewrite",
              "gateway.rollup",
              "gateway.sender",
              "gateway.serve",
              "gateway.status",
              "gateway.store",
              "gateway.store.owner",
              "gateway.stream",
              "promql.expr",
              "promql.syntax",
              "runtime.config",
              "runtime.discovery",
              "runtime.doctor",
              "runtime.files",
              "runtime.http",
              "runtime.key",
              "runtime.process",
              "runtime.tenant",
              "runtime.trace",
              "runtime.trust",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.journal",
              "sample.relabel"),
          room(
              "gateway.status",
              "cluster.status",
              "gateway.config",
              "gateway.ingest",
              "gateway.store",
              "gateway.store.block",
              "gateway.store.read",
              "gateway.store.series",
              "runtime.http",
              "runtime.tenant",
              "sample",
              "sample.gpu",
              "sample.journal"),
          room(
              "gateway.otlp",
              "gateway.remotewrite",
              "runtime.http",
              "runtime.process",
              "runtime.tenant",
              "sample",
              "sample.frame",
              "sample.prometheus",
              "sample.wire"),
          room(
              "gateway.sender",
              "cluster.table",
              "gateway.rollup",
              "gateway.store",
              "gateway.store.owner",
              "promql.expr",
              "promql.lookup",
              "promql.plan",
              "promql.query",
              "runtime.config",
              "runtime.http",
              "runtime.process",
              "sample",
              "sample.files",
              "sample.journal",
              "sample.prometheus",
              "sample.relabel"),
          room(
              "query.fanout",
              "cluster.table",
              "promql.expr",
              "promql.fair",
              "promql.fragment",
              "promql.lookup",
              "promql.plan",
              "promql.query",
              "promql.usage",
              "query.fleet",
              "query.source",
              "runtime.http",
              "runtime.process",
              "runtime.trace",
              "sample",
              "sample.frame",
              "sample.prometheus"),
          room(
              "query.admission",
              "promql.expr",
              "promql.fair",
              "promql.lookup",
              "promql.query",
              "promql.usage",
              "query.source",
              "runtime.process",
              "sample"),
          room(
              "query.cache",
              "promql.expr",
              "promql.lookup",
              "promql.query",
              "query.fleet",
              "query.source",
              "sample",
              "sample.gzip"),
          room("query.slow"),
          room(
              "query.answer",
              "promql.exec",
              "promql.expr",
              "promql.fair",
              "promql.kernel",
              "promql.lookup",
              "promql.plan",
              "promql.query",
              "promql.syntax",
              "promql.usage",
              "promql.usage.series",
              "query.admission",
              "query.cache",
              "query.config",
              "query.fleet",
              "query.slow",
              "query.source",
              "runtime.config",
              "runtime.process",
              "runtime.trace",
              "sample",
              "sample.frame",
              "sample.gzip",
              "sample.prometheus",
              "sample.vocabulary"),
          room(
              "query.http",
              "promql.expr",
              "promql.plan",
              "promql.query",
              "promql.syntax",
              "query.answer",
              "query.cache",
              "query.config",
              "runtime.config",
              "runtime.http",
              "runtime.process",
              "runtime.tenant",
              "runtime.trace",
              "sample"),
          room(
              "query.prometheus",
              "cluster.config",
              "cluster.status",
              "promql.expr",
              "promql.lookup",
              "promql.query",
              "query.admission",
              "query.answer",
              "query.cache",
              "query.config",
              "query.fleet",
              "query.http",
              "query.peers",
              "runtime.config",
              "runtime.process",
              "sample",
              "sample.prometheus",
              "sample.wire"),
          room(
              "query.operate",
              "cluster.config",
              "cluster.status",
              "cluster.table",
              "promql.expr",
              "promql.query",
              "promql.usage.series",
              "query.answer",
              "query.config",
              "query.http",
              "query.prices",
              "query.slow",
              "runtime.doctor",
              "runtime.key",
              "runtime.process",
              "sample",
              "sample.frame",
              "sample.vocabulary"),
          room(
              "query.rules.definition",
              "promql.expr",
              "promql.syntax",
              "query.rules.template",
              "runtime.yaml"),
          room(
              "query.rules.source",
              "cluster.peers",
              "promql.aggregate",
              "query.config",
              "query.rules.definition",
              "runtime.files",
              "runtime.http",
              "runtime.process",
              "sample",
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
              "promql.syntax",
              "sample",
              "sample.prometheus",
              "sample.regexp"),
          room(
              "query.rules.evaluation",
              "promql.aggregate",
              "promql.expr",
              "promql.query",
              "promql.syntax",
              "query.derived",
              "query.rules.definition",
              "query.rules.template",
              "sample",
              "sample.wire"),
          room(
              "query.rules.notify",
              "query.config",
              "query.delivery",
              "query.rules.evaluation",
              "runtime.config",
              "runtime.discovery",
              "runtime.process",
              "sample",
              "sample.relabel"),
          room(
              "query.rules.ownership",
              "cluster.peers",
              "query.derived",
              "query.rules.definition",
              "query.rules.evaluation",
              "sample",
              "sample.wire"),
          room(
              "query.derived",
              "cluster.table",
              "runtime.http",
              "runtime.log",
              "sample",
              "sample.frame",
              "sample.prometheus"),
          room(
              "query.rules.running",
              "cluster.peers",
              "cluster.table",
              "promql.expr",
              "promql.plan",
              "promql.query",
              "query.admission",
              "query.answer",
              "query.config",
              "query.derived",
              "query.rules.definition",
              "query.rules.evaluation",
              "query.rules.notify",
              "query.rules.ownership",
              "runtime.config",
              "runtime.http",
              "runtime.process",
              "runtime.tenant",
              "sample",
              "sample.files",
              "sample.wire"),
          room(
              "query.grafana",
              "promql.expr",
              "promql.query",
              "promql.syntax",
              "query.answer",
              "query.config",
              "query.http",
              "sample",
              "sample.gpu",
              "sample.prometheus"),
          room(
              "query.federate",
              "promql.expr",
              "promql.lookup",
              "promql.query",
              "query.answer",
              "query.config",
              "query.http",
              "sample",
              "sample.gzip",
              "sample.prometheus"),
          room(
              "query.report",
              "promql.expr",
              "promql.lookup",
              "promql.plan",
              "promql.query",
              "promql.usage",
              "query.admission",
              "query.answer",
              "query.config",
              "query.http",
              "query.prices",
              "runtime.config",
              "sample",
              "sample.prometheus"),
          room(
              "query.report.scheduled",
              "cluster.peers",
              "promql.query",
              "promql.usage",
              "query.config",
              "query.delivery",
              "query.report",
              "query.rules.ownership",
              "runtime.files",
              "runtime.http",
              "runtime.process",
              "sample",
              "sample.files"),
          room("query.prices", "promql.expr", "runtime.yaml"),
          room(
              "query",
              "cluster.bus",
              "cluster.config",
              "cluster.member",
              "cluster.peers",
              "cluster.status",
              "cluster.table",
              "promql.expr",
              "promql.syntax",
              "query.admission",
              "query.answer",
              "query.clusters",
              "query.config",
              "query.fanout",
              "query.faults.api",
              "query.faults.detect",
              "query.faults.running",
              "query.faults.tell",
              "query.federate",
              "query.fleet",
              "query.grafana",
              "query.http",
              "query.inventory",
              "query.operate",
              "query.peers",
              "query.prices",
              "query.prometheus",
              "query.report",
              "query.report.scheduled",
              "query.rules.api",
              "query.rules.definition",
              "query.rules.notify",
              "query.rules.running",
              "query.rules.source",
              "query.seam",
              "query.store",
              "runtime.config",
              "runtime.discovery",
              "runtime.files",
              "runtime.http",
              "runtime.key",
              "runtime.process",
              "runtime.tenant",
              "runtime.trace",
              "sample",
              "sample.vocabulary"),
          room(
              "operator.client",
              "runtime.config",
              "runtime.http",
              "runtime.process",
              "runtime.terminal",
              "runtime.trust"),
          room("operator.status", "operator.client", "runtime.process", "runtime.terminal"),
          room(
              "operator.backup",
              "operator.client",
              "runtime.http",
              "runtime.process",
              "runtime.terminal",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.wire"),
          room(
              "operator.rules",
              "operator.backup",
              "operator.client",
              "promql.exec",
              "promql.expr",
              "promql.query",
              "promql.script",
              "promql.syntax",
              "query.derived",
              "query.rules.definition",
              "query.rules.evaluation",
              "runtime.process",
              "runtime.terminal",
              "runtime.yaml",
              "sample",
              "sample.prometheus",
              "sample.regexp"),
          room(
              "operator.report",
              "operator.client",
              "operator.faults",
              "operator.status",
              "runtime.http",
              "runtime.process",
              "runtime.terminal"),
          room(
              "operator.faults",
              "operator.client",
              "operator.status",
              "runtime.process",
              "runtime.terminal"),
          room(
              "query.peers",
              "cluster.limits",
              "cluster.peers",
              "query.admission",
              "query.answer",
              "runtime.http",
              "sample.wire"),
          room(
              "query.fleet",
              "promql.expr",
              "promql.lookup",
              "promql.plan",
              "promql.query",
              "promql.usage",
              "query.source",
              "sample.prometheus"),
          room(
              "query.source",
              "promql.fair",
              "promql.lookup",
              "promql.query",
              "runtime.trace",
              "sample",
              "sample.prometheus"),
          room(
              "query.faults.detect",
              "promql.expr",
              "promql.syntax",
              "query.faults.reading",
              "runtime.yaml",
              "sample",
              "sample.gpu"),
          room(
              "query.faults.engine",
              "promql.expr",
              "query.faults.detect",
              "query.faults.episode",
              "query.faults.reading",
              "sample",
              "sample.gpu"),
          room("query.faults.episode", "query.faults.detect", "sample", "sample.gpu"),
          room("query.faults.reading", "sample"),
          room(
              "query.delivery",
              "runtime.config",
              "runtime.files",
              "runtime.http",
              "runtime.log",
              "runtime.process",
              "sample"),
          room(
              "query.faults.tell",
              "query.config",
              "query.delivery",
              "query.faults.detect",
              "query.faults.episode",
              "runtime.files",
              "runtime.http",
              "runtime.process",
              "sample",
              "sample.gpu"),
          room(
              "query.inventory",
              "cluster.status",
              "promql.expr",
              "promql.lookup",
              "promql.query",
              "query.answer",
              "query.config",
              "query.derived",
              "query.http",
              "runtime.yaml",
              "sample",
              "sample.frame",
              "sample.gpu",
              "sample.prometheus"),
          room(
              "query.faults.api",
              "promql.expr",
              "promql.query",
              "query.answer",
              "query.config",
              "query.faults.detect",
              "query.faults.episode",
              "query.faults.record",
              "query.http",
              "sample",
              "sample.gpu"),
          room(
              "query.faults.record",
              "query.faults.detect",
              "query.faults.episode",
              "sample",
              "sample.gpu",
              "sample.prometheus"),
          room(
              "query.faults.running",
              "cluster.peers",
              "cluster.table",
              "promql.expr",
              "promql.plan",
              "promql.query",
              "query.admission",
              "query.answer",
              "query.config",
              "query.derived",
              "query.faults.api",
              "query.faults.detect",
              "query.faults.engine",
              "query.faults.episode",
              "query.faults.reading",
              "query.faults.record",
              "query.faults.tell",
              "query.inventory",
              "query.rules.ownership",
              "runtime.config",
              "runtime.http",
              "runtime.log",
              "runtime.process",
              "runtime.yaml",
              "sample",
              "sample.frame",
              "sample.gpu"),
          room(
              "query.clusters",
              "promql.exec",
              "promql.expr",
              "promql.fair",
              "promql.fragment",
              "promql.fragment.form",
              "promql.lookup",
              "promql.plan",
              "promql.query",
              "promql.syntax",
              "promql.usage",
              "query.answer",
              "query.config",
              "query.fanout",
              "query.fleet",
              "query.http",
              "query.source",
              "runtime.config",
              "runtime.files",
              "runtime.http",
              "runtime.process",
              "runtime.tenant",
              "runtime.trace",
              "sample",
              "sample.frame",
              "sample.wire"),
          room(
              "query.seam",
              "promql.expr",
              "promql.fair",
              "promql.lookup",
              "promql.query",
              "query.config",
              "query.fleet",
              "query.source",
              "query.store",
              "sample",
              "sample.frame",
              "sample.prometheus"),
          room(
              "query.store",
              "promql.expr",
              "promql.lookup",
              "promql.query",
              "query.config",
              "query.source",
              "runtime.files",
              "runtime.http",
              "runtime.process",
              "sample",
              "sample.prometheus",
              "sample.wire"),
          room(
              "load.fleet",
              "cluster.config",
              "gateway",
              "gateway.config",
              "gateway.sender",
              "query",
              "query.config",
              "runtime.config",
              "runtime.process",
              "sample",
              "sample.journal",
              "sample.prometheus"),
          room(
              "load.chaos",
              "load.fleet",
              "probe.uplink",
              "runtime.config",
              "runtime.log",
              "runtime.process",
              "runtime.terminal",
              "sample",
              "sample.files"),
          room(
              "load.traffic",
              "load.nodes",
              "load.nodes.driver",
              "load.nodes.jobs",
              "probe.config",
              "sample",
              "sample.frame",
              "sample.prometheus"),
          room("load.system", "load.fleet", "runtime.process"),
          room(
              "load.measure",
              "load.fleet",
              "load.system",
              "load.traffic",
              "runtime.process",
              "runtime.terminal",
              "sample",
              "sample.files",
              "sample.frame",
              "sample.wire"),
          room("load.nodes.driver", "probe.gpu", "probe.nvml", "sample.gpu"),
          room("load.nodes.jobs", "load.nodes.driver", "probe.config", "sample.gpu"),
          room(
              "load.nodes",
              "load.nodes.driver",
              "load.nodes.jobs",
              "probe.attribution.process",
              "probe.attribution.runtime",
              "probe.config",
              "probe.gpu",
              "probe.gpu.reading",
              "probe.nvml",
              "probe.sampling",
              "probe.xid",
              "query.faults.reading",
              "sample",
              "sample.gpu",
              "sample.prometheus",
              "sample.relabel"),
          room(
              "load.demo",
              "cluster.table",
              "load.fleet",
              "load.nodes",
              "load.nodes.jobs",
              "probe",
              "probe.config",
              "probe.uplink",
              "query",
              "query.config",
              "runtime.config",
              "runtime.key",
              "runtime.log",
              "runtime.process",
              "runtime.terminal",
              "sample",
              "sample.files",
              "sample.gpu",
              "sample.prometheus"),
          room(
              "load.judge",
              "load.nodes",
              "load.nodes.jobs",
              "query.faults.detect",
              "query.faults.engine",
              "query.faults.episode",
              "query.faults.reading",
              "runtime.config",
              "runtime.log",
              "runtime.process",
              "runtime.terminal",
              "sample",
              "sample.gpu"),
          room(
              "load.compare",
              "cluster.table",
              "gateway",
              "load.fleet",
              "probe.uplink",
              "promql.script",
              "query",
              "query.config",
              "runtime.process",
              "runtime.terminal",
              "sample",
              "sample.files"),
          room(
              "load.benchmark",
              "gateway.rollup",
              "gateway.store.chunk",
              "promql.exec",
              "promql.expr",
              "promql.kernel",
              "promql.query",
              "promql.syntax",
              "promql.usage",
              "query.faults.detect",
              "query.faults.engine",
              "query.faults.episode",
              "query.faults.reading",
              "sample",
              "sample.decimal",
              "sample.frame",
              "sample.gpu",
              "sample.prometheus",
              "sample.wire"));

  /** Third-party packages and the only rooms that may know them. */
  private static final Map<String, Set<String>> LIBRARIES =
      Map.ofEntries(
          library(
              "io.vertx.",
              "cluster.bus",
              "cluster.peers",
              "runtime.discovery",
              "runtime.doctor",
              "runtime.files",
              "runtime.http",
              "runtime.process",
              "runtime.terminal",
              "cluster.status",
              "probe",
              "probe.scrape",
              "probe.attribution.kubelet",
              "probe.attribution.allocation",
              "probe.attribution.runtime",
              "probe.uplink",
              "gateway",
              "gateway.backup",
              "gateway.ingest",
              "gateway.otlp",
              "gateway.peer",
              "gateway.remotewrite",
              "gateway.sender",
              "gateway.serve",
              "gateway.status",
              "gateway.stream",
              "query",
              "query.admission",
              "query.answer",
              "query.cache",
              "query.clusters",
              "query.delivery",
              "query.derived",
              "query.fanout",
              "query.faults.tell",
              "query.faults.api",
              "query.faults.running",
              "query.federate",
              "query.grafana",
              "query.http",
              "query.inventory",
              "query.operate",
              "query.peers",
              "query.prometheus",
              "query.report",
              "query.report.scheduled",
              "query.rules.api",
              "query.rules.notify",
              "query.rules.source",
              "query.rules.running",
              "query.fleet",
              "query.seam",
              "query.source",
              "query.store",
              "operator.backup",
              "operator.client",
              "operator.faults",
              "operator.report",
              "operator.rules",
              "operator.status",
              "load.chaos",
              "load.compare",
              "load.demo"),
          library("io.netty.", "runtime.http"),
          library("com.hazelcast.", "cluster.bus", "cluster.member"),
          library("org.bouncycastle.", "runtime.tenant"),
          library("org.roaringbitmap.", "gateway.store.series"),
          library("jnr.", "probe.host.reading", "probe.nvml", "load.nodes.driver"),
          library(
              "com.github.benmanes.caffeine.",
              "gateway.serve",
              "gateway.store",
              "query.admission",
              "query.answer",
              "query.cache",
              "query.federate"),
          library("com.google.re2j.", "sample.regexp"),
          library("net.jpountz.", "promql.aggregate"),
          library("ch.qos.logback.", "runtime.log"),
          library(
              "com.fasterxml.jackson.core.",
              "gateway.otlp",
              "runtime.key",
              "runtime.discovery",
              "runtime.yaml",
              "probe.attribution.slurm",
              "probe.attribution.allocation",
              "query.faults.tell",
              "query.faults.api",
              "query.faults.record",
              "query.grafana",
              "query.http",
              "query.inventory",
              "query.operate",
              "query.prometheus",
              "query.report",
              "query.rules.api",
              "query.rules.notify",
              "query.store",
              "load.chaos",
              "load.compare",
              "load.measure"),
          library(
              "com.fasterxml.jackson.databind.",
              "gateway.otlp",
              "runtime.key",
              "runtime.discovery",
              "runtime.yaml",
              "probe.attribution.slurm",
              "probe.attribution.allocation",
              "query.faults.record",
              "query.faults.running",
              "query.faults.detect",
              "query.inventory",
              "query.prices",
              "load.chaos",
              "load.compare",
              "load.measure"),
          library("com.google.cloud.tools.jib.", "distribution.image"),
          library("org.apache.commons.compress.", "distribution.packages"),
          library("org.cyclonedx.", "distribution.image", "distribution.packages"),
          library("com.github.packageurl.", "distribution.image"),
          library("io.prometheus.metrics.", "runtime.process"),
          library("io.opentelemetry.", "gateway.otlp", "runtime.trace"),
          library("com.google.protobuf.", "gateway.otlp"),
          library("org.eclipse.packager.", "distribution.packages"),
          library(
              "org.xerial.snappy.",
              "distribution.training",
              "gateway.remotewrite",
              "gateway.sender",
              "query",
              "query.prometheus",
              "query.derived",
              "query.store",
              "load.fleet",
              "load.traffic"),
          library(
              "picocli.",
              "runtime.doctor",
              "runtime.process",
              "runtime.terminal",
              "distribution.packages",
              "probe",
              "probe.dcgm",
              "gateway",
              "query",
              "operator.backup",
              "operator.client",
              "operator.faults",
              "operator.report",
              "operator.rules",
              "operator.status",
              "load.chaos",
              "load.compare",
              "load.demo",
              "load.judge",
              "load.measure"),
          library(
              "org.yaml.snakeyaml.", "runtime.yaml", "query.rules.definition", "operator.rules"),
          library("software.amazon.awssdk.", "operator.backup"),
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
   * Methods that threads of the data path may call: they leave word and read what is there.
   * Whatever calls Hazelcast does so in a task for the cluster's own thread.
   */
  @Test
  void noThreadOfTheDataPathCallsHazelcast() {
    Set<String> quick =
        Set.of("view", "onChange", "register", "report", "activate", "retire", "poll");
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
        .contains("TableMachine", "AdmissionControl", "LaneHosts", "HostIntake", "FragmentRunner");
  }

  @Test
  void modulesKnowOnlyTheModulesThatTheDesignLetsThemKnow() throws IOException {
    Map<String, Set<String>> mayKnow =
        Map.of(
            "sample-model", Set.of(),
            "promql", Set.of("sample-model"),
            "runtime", Set.of("sample-model"),
            "cluster-config", Set.of("runtime", "sample-model"),
            "node-probe", Set.of("runtime", "sample-model"),
            "shard-gateway", Set.of("promql", "cluster-config", "runtime", "sample-model"),
            "query-api", Set.of("promql", "cluster-config", "runtime", "sample-model"),
            "operator", Set.of("promql", "query-api", "runtime", "sample-model"));
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

  /**
   * Small documents are trees of Vert.x. Jackson's trees, which can refuse what is ambiguous, are
   * for files and answers that others write.
   */
  @Test
  void aRoomHasOneKindOfJsonTree() {
    Map<String, Set<String>> trees = new TreeMap<>();
    for (JavaClass type : CLASSES) {
      if (isOurs(type)) {
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
          String name = dependency.getTargetClass().getBaseComponentType().getPackageName();
          if (name.equals("io.vertx.core.json") || name.equals("com.fasterxml.jackson.databind")) {
            trees.computeIfAbsent(roomOf(type), none -> new TreeSet<>()).add(name);
          }
        }
      }
    }
    trees.values().removeIf(kinds -> kinds.size() < 2);
    assertThat(trees).isEmpty();
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
    assertThat(readers)
        .containsExactly("probe.attribution.allocation", "query.http", "runtime.http");
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
