"""The weaknesses that servers and clients of MCP and OAuth were found with in the open, and the tests that hold them off.

A case names its tests as `file::function` below `tests/`; `test_cases` holds that each of them exists.
"""

from __future__ import annotations

from dataclasses import dataclass

WEAK = "surfaces/oauth/test_weaknesses.py"
EXCHANGE = "access/oauth/test_exchange.py"
REDIRECTS = "access/oauth/test_redirects.py"
GRANTS = "access/oauth/test_grants.py"
REGISTRATION = "access/oauth/test_registration.py"
FETCHING = "access/oauth/test_fetching.py"
DOCUMENTS = "surfaces/oauth/test_documents.py"
CHALLENGES = "surfaces/oauth/test_challenges.py"
SERVED = "surfaces/oauth/test_served.py"
GATE = "surfaces/test_gate.py"
NETWORK = "surfaces/test_network.py"
HTTP = "surfaces/test_http.py"
DOORS = "security/test_doors.py"
PAGES = "security/test_pages.py"
FILES = "security/test_files.py"
SCOPES = "security/test_scopes.py"
TEXT = "security/test_recalled_text.py"
LIMITS = "security/test_limits.py"
SECRETS = "security/test_secrets.py"


@dataclass(frozen=True, slots=True)
class Case:
    number: int
    weakness: str
    tests: tuple[str, ...]


def case(number: int, weakness: str, **tests: str) -> Case:
    """`tests` are names of functions, separated by spaces, by the name of their file's constant."""
    files = {name.lower(): value for name, value in globals().items() if isinstance(value, str) and name.isupper()}
    named = tuple(f"{files[file]}::{function}" for file, functions in tests.items() for function in functions.split())
    return Case(number, weakness, named)


CASES = (
    case(
        1,
        "A redirect is accepted by its scheme or its beginning.",
        weak="test_redirect_uri_accepted_by_scheme_or_prefix test_redirect_uri_registered_with_a_strange_scheme_or_host "
        "test_an_unknown_client_is_sent_nowhere test_a_parameter_that_comes_twice_is_refused "
        "test_a_link_to_us_leads_nobody_elsewhere_before_the_login",
        redirects="test_nothing_else_is_ever_a_redirect test_everything_else_has_to_be_the_same_letter_by_letter",
    ),
    case(
        2,
        "The port of a loopback redirect is compared, or too much is not.",
        weak="test_loopback_port_not_ignored_or_ignored_too_widely",
        redirects="test_the_port_of_a_loopback_address_is_left_open",
    ),
    case(
        3,
        "Anybody registers without end, locks others out, or is called like somebody known.",
        weak="test_open_registration_unbounded_or_locking_out test_a_client_name_that_pretends_to_be_a_page",
        registration="test_a_flood_is_slowed_down_by_address_and_in_all test_the_cap_evicts_only_who_was_never_used "
        "test_where_all_are_in_use_the_next_one_waits test_a_name_is_one_line_that_hides_nothing",
    ),
    case(
        4,
        "Consent is missing, skipped, or not bound to the browser.",
        weak="test_consent_missing_or_skipped test_consent_posted_from_another_browser_without_token_or_twice "
        "test_consent_with_swapped_client_redirect_or_scope test_consent_is_skipped_for_the_very_same_request_alone "
        "test_consent_is_never_skipped_where_any_program_may_listen",
        grants="test_a_ticket_is_good_once_and_in_its_own_browser",
    ),
    case(
        5,
        "A page is framed by another site.",
        weak="test_clickjacking_of_login_consent_and_lists",
        gate="test_every_answer_carries_the_security_headers",
    ),
    case(
        6,
        "PKCE is optional, plain, or not checked.",
        weak="test_pkce_optional_plain_or_omitted test_pkce_verifier_ignored",
        exchange="test_a_code_wants_its_verifier",
    ),
    case(
        7,
        "A token of another server is accepted.",
        weak="test_audience_not_checked",
        grants="test_a_resource_is_this_server_or_an_invalid_target",
    ),
    case(
        8,
        "A refresh token that comes twice goes unnoticed, or honest clients die of it.",
        weak="test_refresh_detection_kills_honest_clients",
        exchange="test_a_refresh_token_that_comes_after_the_grace_ends_its_family "
        "test_the_grace_counts_from_the_first_use_and_not_from_the_last "
        "test_two_honest_refreshes_at_once_both_end_with_tokens_that_work "
        "test_a_revocation_wins_over_a_refresh_that_races_it",
    ),
    case(
        9,
        "A code is used twice.",
        weak="test_code_replay_revokes_what_the_first_use_issued",
        exchange="test_a_code_that_comes_again_takes_back_what_the_first_got test_a_code_lasts_a_minute "
        "test_of_two_who_bring_a_code_at_once_nobody_keeps_a_token test_a_code_is_bound_to_its_client "
        "test_a_code_is_bound_to_its_redirect",
    ),
    case(
        10,
        "A page of another site reaches the server under a name of its own.",
        gate="test_a_foreign_host_is_refused_on_every_route test_a_foreign_origin_is_refused_on_every_route "
        "test_a_request_without_a_host_or_with_two_is_refused test_two_origins_are_refused_even_when_one_is_ours",
        doors="test_no_route_is_left_out_of_these_tests test_a_foreign_host_is_refused_on_every_route_that_asks_for_no_token "
        "test_a_foreign_origin_is_refused_there_too test_no_host_and_two_of_them_are_refused_there_too "
        "test_what_a_proxy_may_say_stands_for_no_host",
    ),
    case(
        11,
        "An origin is reflected, or a page of another site makes a browser change something.",
        doors="test_no_origin_is_ever_reflected test_a_cookie_opens_nothing_that_a_program_may_ask "
        "test_a_form_of_another_site_changes_nothing test_a_get_never_changes_anything "
        "test_every_form_of_a_page_carries_the_token_of_its_browser_and_is_posted",
        weak="test_login_and_logout_forged_by_another_site",
    ),
    case(
        12,
        "The id of a session stands for who somebody is.",
        doors="test_an_id_of_a_session_is_no_identity test_who_kept_a_record_is_who_the_token_names_whatever_is_claimed",
    ),
    case(
        13,
        "The session of a browser can be planted, read, or used after its end.",
        weak="test_session_fixation test_cookie_flags_on_https test_old_cookie_alive_after_logout_or_another_passphrase "
        "test_login_leads_to_another_server",
    ),
    case(
        14,
        "A passphrase is guessed, at this door or at another one.",
        weak="test_brute_force_slows_down_and_leaves_other_sessions_alone",
        secrets="test_no_other_door_takes_a_passphrase",
        network="test_what_a_client_says_of_its_address_is_not_believed",
    ),
    case(
        15,
        "A secret is stored as it is, or the time of an answer tells of it.",
        weak="test_secrets_stored_as_they_are_or_told_by_the_answer",
        secrets="test_secrets_are_compared_in_constant_time",
        served="test_tokens_in_logs_files_and_addresses",
    ),
    case(
        16,
        "Secrets stand in logs and addresses.",
        served="test_tokens_in_logs_files_and_addresses",
        secrets="test_no_library_says_one_either test_no_answer_repeats_a_secret_that_was_sent",
        gate="test_a_token_in_the_address_is_refused",
        http="test_a_server_answers_logs_no_secret_and_stops_with_a_signal",
    ),
    case(
        17,
        "What is stored runs in the browser of who reads it.",
        pages="test_what_is_stored_stays_words_on_the_page_of_a_record test_the_name_of_a_client_stays_words "
        "test_the_name_of_a_workspace_stays_words test_what_stands_in_an_address_or_a_form_is_never_shown_as_markup "
        "test_a_profile_is_not_called_like_markup_or_shows_as_words test_nothing_that_a_browser_could_run_is_served",
    ),
    case(
        18,
        "A file that somebody else wrote, or a name, leads out of where it belongs.",
        files="test_a_folder_gets_no_file_from_outside_of_it_into_memory "
        "test_an_encoded_name_is_the_name_of_that_file_and_of_no_other test_what_is_no_file_is_left_alone_in_a_folder "
        "test_a_device_that_is_named_is_refused_and_read_no_further_than_a_document_may_be test_an_archive_is_not_opened "
        "test_a_compressed_history_that_swells_stays_within_memory test_no_operation_takes_a_path "
        "test_no_field_of_a_request_is_opened_as_a_file_or_an_address test_a_path_that_climbs_finds_nothing "
        "test_a_backup_is_led_nowhere_by_a_link test_the_copy_that_an_upgrade_keeps_is_its_owners_alone "
        "test_a_briefing_that_is_written_out_is_its_owners_alone "
        "test_a_project_file_that_is_a_link_to_something_else_is_left_alone",
    ),
    case(
        19,
        "The server is made to ask addresses that only it can reach.",
        fetching="test_no_address_near_us_is_public_in_any_form test_an_address_that_is_not_plain_is_never_asked "
        "test_the_connection_goes_to_the_address_that_was_checked test_no_redirect_is_followed "
        "test_what_is_large_or_is_no_json_is_refused test_a_server_that_drips_is_hung_up_on",
        documents="test_a_document_is_not_fetched_before_the_login",
        files="test_no_field_of_a_request_is_opened_as_a_file_or_an_address",
    ),
    case(
        20,
        "Scopes filter the list and not the calls.",
        scopes="test_a_tool_that_is_hidden_cannot_be_called_and_its_twin_neither "
        "test_a_server_that_only_reads_takes_nothing_from_the_largest_token test_prompts_and_resources_follow_the_same_rule "
        "test_where_reading_is_not_offered_nothing_is_opened_by_its_address "
        "test_what_the_protocol_has_and_we_do_not_offer_is_unknown_to_every_token "
        "test_the_shared_token_is_as_small_as_its_level "
        "test_a_403_for_a_token_of_oauth_names_every_scope_that_the_next_one_has_to_have",
        challenges="test_a_call_beyond_the_token_gets_a_403_with_all_scopes_at_once",
    ),
    case(
        21,
        "A client widens its scopes.",
        weak="test_scope_widening_by_refresh_or_registration test_a_viewer_grants_no_more_than_reading",
        grants="test_a_choice_cannot_give_more_than_was_asked_for",
        exchange="test_more_scope_is_refused_and_less_is_given_for_once test_a_profile_that_shrinks_takes_its_tokens_along",
    ),
    case(
        22,
        "Addresses are built from the headers of a request.",
        weak="test_issuer_built_from_host_or_forwarded_headers",
        http="test_links_stay_on_the_configured_address_whatever_a_request_says",
    ),
    case(
        23,
        "An address of ours runs something at the client.",
        files="test_every_address_in_our_metadata_is_ours_and_of_the_web "
        "test_an_address_that_is_none_is_no_public_address_of_a_server "
        "test_an_address_that_could_be_taken_for_more_is_not_installed "
        "test_the_command_of_a_hook_runs_one_program_whatever_its_folder_is_called "
        "test_a_server_is_started_by_words_and_never_by_a_line test_no_program_is_ever_started_through_a_shell",
    ),
    case(
        24,
        "What was stored speaks to a model as if we said it.",
        text="test_recalled_text_cannot_leave_its_fence test_orders_are_told_to_nobody_unasked_and_marked_when_asked_for "
        "test_nothing_that_is_stored_stands_in_what_everybody_is_told test_the_lists_are_the_same_bytes_whatever_is_stored "
        "test_an_error_repeats_no_stored_text test_what_the_command_line_writes_for_an_agent_is_fenced_too",
    ),
    case(
        25,
        "Too much, too deep, too slow, or many at once.",
        limits="test_a_body_that_is_announced_too_large_is_refused_before_it_comes test_a_strangers_body_is_never_waited_for "
        "test_a_body_that_does_not_end_is_refused_when_it_is_too_large "
        "test_what_is_deep_or_a_batch_is_a_fault_of_the_caller_at_once test_a_head_that_is_too_large_is_refused "
        "test_a_request_that_hides_another_one_ends_its_connection test_others_are_served_while_many_are_slow "
        "test_what_is_refused_is_not_held_in_memory",
        network="test_who_takes_too_long_to_ask_is_hung_up_on test_connections_that_say_nothing_make_room_for_those_that_ask",
    ),
)
