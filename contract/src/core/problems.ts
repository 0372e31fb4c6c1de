import * as z from 'zod'

/**
 * Why a call failed, as a code that programs may rely on. `unknown` is a fault of ours; its id is in the log.
 * A code is added here before it is thrown anywhere, with its status: this is the error catalogue.
 */
export const problemStatus = {
  validation: 400,
  unreadable_payload: 400,
  invalid_filter: 400,
  invalid_marker: 400,
  unauthorized: 401,
  wrong_credentials: 401,
  password_change_required: 401,
  second_factor_required: 401,
  second_factor_wrong: 401,
  second_factor_missing: 401,
  passkey_required: 401,
  sign_in_expired: 401,
  passkey_refused: 401,
  passkey_copied: 401,
  access_disabled: 403,
  s3_disabled: 403,
  s3_user_disabled: 403,
  forbidden: 403,
  csrf: 403,
  not_found: 404,
  unknown_call: 404,
  s3_not_found: 404,
  conflict: 409,
  duplicate_name: 409,
  in_use: 409,
  deletion_locked: 409,
  default_domain_protected: 409,
  domain_has_projects: 409,
  domain_has_users: 409,
  provider_has_users: 409,
  project_not_empty: 409,
  user_is_self: 409,
  builtin_admin_protected: 409,
  not_all_deleted: 409,
  not_all_done: 409,
  invalid_state: 409,
  key_limit: 409,
  quota_exceeded: 409,
  changed_meanwhile: 412,
  request_timeout: 408,
  no_valid_host: 409,
  ip_address_in_use: 409,
  cidr_overlaps: 409,
  gateway_in_pool: 400,
  vlan_in_use: 409,
  no_vm_public: 409,
  network_in_use: 409,
  subnet_in_use: 409,
  port_in_use: 409,
  router_in_use: 409,
  router_interface_in_use: 409,
  overlapping_subnet: 409,
  nexthop_unreachable: 400,
  no_free_addresses: 409,
  port_already_has_fip: 409,
  not_routable: 409,
  security_group_in_use: 409,
  security_group_protected: 409,
  invalid_port_range: 400,
  networking_unavailable: 422,
  lb_pending: 409,
  lb_member_unreachable: 400,
  router_no_gateway: 409,
  subnet_overlap: 409,
  ikev1_single_subnet: 400,
  policy_in_use: 409,
  endpoint_group_in_use: 409,
  vpn_pending: 409,
  volume_in_use: 409,
  image_in_use: 409,
  image_protected: 409,
  upload_elsewhere: 409,
  live_resize_limit: 409,
  console_unavailable: 409,
  guest_busy: 409,
  guest_agent_unavailable: 409,
  too_large: 413,
  unsupported_media: 415,
  image_format_unsupported: 422,
  image_backing_file: 422,
  image_external_data: 422,
  image_encrypted: 422,
  image_too_large: 422,
  image_truncated: 422,
  import_forbidden: 422,
  import_failed: 422,
  checksum_mismatch: 422,
  current_password_wrong: 422,
  unknown_host: 421,
  too_many_attempts: 429,
  too_many_requests: 429,
  too_many_uploads: 429,
  unknown: 500,
  job_gave_up: 500,
  nobody_answered: 409,
  undo_failed: 500,
  unsupported: 422,
  smtp_unreachable: 422,
  smtp_untrusted: 422,
  smtp_auth_failed: 422,
  smtp_refused: 422,
  invalid_recipient: 422,
  provider_unreachable: 422,
  provider_untrusted: 422,
  provider_forbidden: 422,
  ldap_unreachable: 422,
  ldap_untrusted: 422,
  ldap_bind_failed: 422,
  ldap_base_not_found: 422,
  ldap_refused: 422,
  certificate_unreadable: 422,
  certificate_without_key: 422,
  certificate_password_wrong: 422,
  certificate_key_mismatch: 422,
  certificate_expired: 422,
  certificate_unusable: 422,
  report_running: 409,
  report_unreachable: 422,
  report_untrusted: 422,
  report_refused: 422,
  metrics_missing: 422,
  database_unavailable: 503,
  engine_unavailable: 503,
  directory_unavailable: 503,
  metrics_unavailable: 503,
  not_configured: 503,
  server_busy: 503,
  disk_full: 507,
} as const
export type ProblemCode = keyof typeof problemStatus

/** Body of every answer that is not good (S1§8). */
export const ProblemBody = z.object({
  error: z.object({
    message: z.string(),
    err_code: z.string(),
    /** Messages by field, as a dotted path into what was sent. */
    fields: z.record(z.string(), z.array(z.string())),
    data: z.record(z.string(), z.unknown()),
    /** The id under which the log tells more. */
    request_id: z.string(),
  }),
})
export type ProblemBody = z.infer<typeof ProblemBody>

/** Why a command would be refused, told before it is given. */
export const Refusal = z.object({ code: z.string(), message: z.string() })
export type Refusal = z.infer<typeof Refusal>

/** An expected failure: thrown where it is known, turned into an answer once. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly fields: Record<string, string[]>
  readonly data: Record<string, unknown>

  constructor(
    code: ProblemCode,
    message: string,
    more: { fields?: Record<string, string[]>; data?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'Problem'
    this.code = code
    this.status = problemStatus[code]
    this.fields = more.fields ?? {}
    this.data = more.data ?? {}
  }
}

/** The same answer for what is not there and for what the caller may not know of (S1§8). */
export const notFound = (): Problem => new Problem('not_found', 'Object you are referring to is not found')

/** A refusal that belongs to one field of what was sent. */
export const badField = (field: string, message: string, code: ProblemCode = 'validation'): Problem =>
  new Problem(code, message, { fields: { [field]: [message] } })

/** An action that the object's present state does not allow. */
export const invalidState = (message: string, status: string): Problem =>
  new Problem('invalid_state', message, { data: { status } })
