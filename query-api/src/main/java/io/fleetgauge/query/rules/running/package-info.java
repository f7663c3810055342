/**
 * Carries out what {@code rules.ownership} decides.
 *
 * <p>In: rule groups, the other query APIs, time. Out: slots evaluated through {@code
 * query.answer}, their samples stored through gateways, their alerts given to the notifier, their
 * states given to the query API that would go on, and kept on disk.
 *
 * <p>{@code RunningRules} lets time pass and hands what {@code RuleOwner} wants to the group that
 * it concerns; in {@code RunningGroup} the stages of a slot follow each other. A slot is evaluated
 * when all hosts that send have sent up to it, or at its deadline. A state leaves this process only
 * when its samples are acknowledged: whoever goes on from it stores what may be missing.
 *
 * <pre>
 * POST /v1/rules/states   count:uvar (group:u64)*; nothing names all groups that the receiver owns
 *                         answer: count:uvar (length:uvar state)*
 * POST /v1/rules/state    a state that is handed over
 * </pre>
 *
 * <p>Law: nothing is published that the machine does not allow at that moment; no event loop waits.
 */
package io.fleetgauge.query.rules.running;
