/**
 * The caches of classes and method profiles (JDK 25's AOT caches) with which processes start.
 *
 * <p>In: the folders of the processes, whole but for their caches. Out: a cache in each. The
 * processes run from their folders as they will where they are installed: a probe against a gateway
 * and a driver of stand-ins; two gateways and a query API with samples, queries and rules like
 * those of their first minute. The JVM notes what it loads and executes, and a second JVM writes
 * this as it is to lie in memory.
 *
 * <p>Law: a cache is made once for a runtime, jars and flags, and used by every later build of the
 * same.
 */
package io.fleetgauge.distribution.training;
