/**
 * YAML as people and programs write it.
 *
 * <p>In: the text of a file. Out: its first document as nodes, which know their places, or as a
 * tree of JSON; and in which line another document begins, of which the caller has to say that it
 * is not read.
 *
 * <p>Law: nothing that was written is dropped in silence, and no text costs more memory than its
 * length and {@link io.fleetgauge.runtime.yaml.YamlDocument#MOST_NODES} nodes.
 */
package io.fleetgauge.runtime.yaml;
