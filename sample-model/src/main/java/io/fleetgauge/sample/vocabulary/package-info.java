/**
 * Other names for what is stored: the aliases of metrics and labels.
 *
 * <p>In: {@code aliases.tsv}, and a file of the user in the same form. Out: {@link
 * io.fleetgauge.sample.vocabulary.AliasTable}, which says what a name stands for, and {@link
 * io.fleetgauge.sample.vocabulary.SeriesAliases}, which shows a stored series under other names.
 *
 * <p>Law: a series that is seen under an alias differs from the stored one in its name, in labels
 * that are added, and by the factor of the alias; no label of it is changed or lost.
 */
package io.fleetgauge.sample.vocabulary;
