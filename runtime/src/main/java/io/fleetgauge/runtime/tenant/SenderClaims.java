package io.fleetgauge.runtime.tenant;

import java.util.List;

/**
 * Claims of a request about its sender.
 *
 * @param authorization its {@code Authorization} headers
 * @param orgIds its {@code X-Scope-OrgID} headers
 * @param address the sender's address, as bytes; empty when it is not known
 */
public record SenderClaims(List<String> authorization, List<String> orgIds, byte[] address) {}
