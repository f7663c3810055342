package io.fleetgauge.probe.host.network;

import java.util.List;

/**
 * Counters of a port of an RDMA adapter: file below the port's folder, node_exporter's name, and
 * what one unit is worth. Data is counted in words of four bytes.
 */
final class InfinibandCounters {
  static final List<String> LINES =
      List.of(
          "counters/excessive_buffer_overrun_errors excessive_buffer_overrun_errors 1",
          "counters/link_downed link_downed 1",
          "counters/link_error_recovery link_error_recovery 1",
          "counters/local_link_integrity_errors local_link_integrity_errors 1",
          "counters/multicast_rcv_packets multicast_packets_received 1",
          "counters/multicast_xmit_packets multicast_packets_transmitted 1",
          "counters/port_rcv_constraint_errors port_constraint_errors_received 1",
          "counters/port_rcv_data port_data_received_bytes 4",
          "counters/port_rcv_discards port_discards_received 1",
          "counters/port_rcv_errors port_errors_received 1",
          "counters/port_rcv_packets port_packets_received 1",
          "counters/port_rcv_remote_physical_errors port_receive_remote_physical_errors 1",
          "counters/port_rcv_switch_relay_errors port_receive_switch_relay_errors 1",
          "counters/port_xmit_constraint_errors port_constraint_errors_transmitted 1",
          "counters/port_xmit_data port_data_transmitted_bytes 4",
          "counters/port_xmit_discards port_discards_transmitted 1",
          "counters/port_xmit_packets port_packets_transmitted 1",
          "counters/port_xmit_wait port_transmit_wait 1",
          "counters/symbol_error symbol_error 1",
          "counters/unicast_rcv_packets unicast_packets_received 1",
          "counters/unicast_xmit_packets unicast_packets_transmitted 1",
          "counters/VL15_dropped vl15_dropped 1",
          "counters_ext/port_multicast_rcv_packets legacy_multicast_packets_received 1",
          "counters_ext/port_multicast_xmit_packets legacy_multicast_packets_transmitted 1",
          "counters_ext/port_rcv_data_64 legacy_data_received_bytes 4",
          "counters_ext/port_rcv_packets_64 legacy_packets_received 1",
          "counters_ext/port_unicast_rcv_packets legacy_unicast_packets_received 1",
          "counters_ext/port_unicast_xmit_packets legacy_unicast_packets_transmitted 1",
          "counters_ext/port_xmit_data_64 legacy_data_transmitted_bytes 4",
          "counters_ext/port_xmit_packets_64 legacy_packets_transmitted 1",
          "hw_counters/duplicate_request duplicate_requests_packets 1",
          "hw_counters/implied_nak_seq_err implied_nak_seq_errors 1",
          "hw_counters/local_ack_timeout_err local_ack_timeout_errors 1",
          "hw_counters/np_cnp_sent np_cnp_packets_sent 1",
          "hw_counters/np_ecn_marked_roce_packets np_ecn_marked_roce_packets_received 1",
          "hw_counters/out_of_buffer out_of_buffer_drops 1",
          "hw_counters/out_of_sequence out_of_sequence_packets_received 1",
          "hw_counters/packet_seq_err packet_sequence_errors 1",
          "hw_counters/req_cqe_error req_cqes_errors 1",
          "hw_counters/req_cqe_flush_error req_cqes_flush_errors 1",
          "hw_counters/req_remote_access_errors req_remote_access_errors 1",
          "hw_counters/req_remote_invalid_request req_remote_invalid_request_errors 1",
          "hw_counters/resp_cqe_error resp_cqes_errors 1",
          "hw_counters/resp_cqe_flush_error resp_cqes_flush_errors 1",
          "hw_counters/resp_local_length_error resp_local_length_errors 1",
          "hw_counters/resp_remote_access_errors resp_remote_access_errors 1",
          "hw_counters/rnr_nak_retry_err rnr_nak_retry_packets_received 1",
          "hw_counters/roce_adp_retrans roce_adp_retransmits 1",
          "hw_counters/roce_adp_retrans_to roce_adp_retransmits_timeout 1",
          "hw_counters/roce_slow_restart roce_slow_restart_used 1",
          "hw_counters/roce_slow_restart_cnps roce_slow_restart_cnps 1",
          "hw_counters/roce_slow_restart_trans roce_slow_restart 1",
          "hw_counters/rp_cnp_handled rp_cnp_packets_handled 1",
          "hw_counters/rp_cnp_ignored rp_cnp_ignored_packets_received 1",
          "hw_counters/rx_atomic_requests rx_atomic_requests 1",
          "hw_counters/rx_dct_connect rx_dct_connect_requests 1",
          "hw_counters/rx_icrc_encapsulated rx_icrc_encapsulated_errors 1",
          "hw_counters/rx_read_requests rx_read_requests 1",
          "hw_counters/rx_write_requests rx_write_requests 1");

  private InfinibandCounters() {}
}
