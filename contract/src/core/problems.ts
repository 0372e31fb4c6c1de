import * as z from 'zod'
import { codeOf, englishOf, englishText } from './english'
import type { MessageValues } from './message-tree'
import { rulesIn, says, type GivenValues, type MessageKey, type RuleText, type Said } from './said'

/**
 * The error catalogue: stable error codes that programs may rely on, with their HTTP status. Add a code here before
 * throwing it. `unknown` is an internal error; look up its log entry by request ID.
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
  location_not_empty: 409,
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
  volume_has_snapshots: 409,
  backup_target_unavailable: 409,
  backup_has_children: 409,
  backup_damaged: 409,
  file_system_unreadable: 409,
  plan_name_duplicate: 409,
  schedule_invalid: 400,
  snapshot_not_latest: 409,
  snapshot_has_children: 409,
  image_in_use: 409,
  image_protected: 409,
  upload_elsewhere: 409,
  live_resize_limit: 409,
  console_unavailable: 409,
  guest_busy: 409,
  disk_in_use: 409,
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
  engine_one_node: 422,
  maintenance_blocked: 409,
  no_cluster: 409,
  node_in_use: 409,
  node_offline: 409,
  registration_token_invalid: 403,
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
  trap_not_sent: 422,
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
  node_unreachable: 503,
  directory_unavailable: 503,
  metrics_unavailable: 503,
  not_configured: 503,
  server_busy: 503,
  disk_full: 507,
} as const
export type ProblemCode = keyof typeof problemStatus

/** A message as a key with its values, so that clients can translate it. */
export const SaidBody = z.object({ key: z.string(), values: z.record(z.string(), z.union([z.string(), z.number()])) })

/** Body of every error response (S1§8). */
export const ProblemBody = z.object({
  error: z.object({
    /** English text. */
    message: z.string(),
    err_code: z.string(),
    /** Messages by field, a dotted path into the request. */
    fields: z.record(z.string(), z.array(z.string())),
    /** Values of the message, and additional data for programs. */
    data: z.record(z.string(), z.unknown()),
    /** Key and values of `message`; null for internal errors. */
    said: SaidBody.nullable(),
    /** Keys and values of `fields`. */
    fields_said: z.record(z.string(), z.array(SaidBody)),
    /** Request ID, for finding the log entries. */
    request_id: z.string(),
  }),
})
export type ProblemBody = z.infer<typeof ProblemBody>

/** Error that a call would return, reported before the call is made. */
export const Refusal = z.object({ code: z.string(), message: z.string(), said: SaidBody.nullish() })
export type Refusal = z.infer<typeof Refusal>

/** A message: a key with values, an encoded rule, or the plain text of a response. */
type Words = string | Said

const saidOf = (words: Words): Said | null => (typeof words === 'string' ? (rulesIn(words)[0] ?? null) : words)
const english = (words: Words): string => (typeof words === 'string' ? englishText(words) : englishOf(words))

interface More {
  fields?: Record<string, Words[]>
  /** Data for programs, in addition to the values of the message. */
  data?: Record<string, unknown>
  cause?: unknown
}

/** An expected error. It is thrown where it is detected and converted to a response in one place. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  /** Key and values of the message; null if it was given as plain text. */
  readonly said: Said | null
  /** English messages by field, a dotted path into the request. */
  readonly fields: Record<string, string[]>
  /** Keys and values of the field messages. */
  readonly fieldsSaid: Record<string, Said[]>
  readonly data: Record<string, unknown>

  constructor(code: ProblemCode, words: Words, more: More = {}) {
    super(english(words), more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'Problem'
    this.code = code
    this.status = problemStatus[code]
    this.said = saidOf(words)
    const fields = Object.entries(more.fields ?? {})
    this.fields = withoutPrototype(fields.map(([name, all]) => [name, all.map(english)] as const))
    this.fieldsSaid = withoutPrototype(
      fields.map(([name, all]) => [name, all.map(saidOf).filter((it) => it !== null)] as const),
    )
    this.data = { ...this.said?.values, ...more.data }
  }
}

/** Avoids collisions with inherited properties: a caller may send a field named `constructor`. */
const withoutPrototype = <Value>(entries: (readonly [string, Value])[]): Record<string, Value> =>
  Object.assign(Object.create(null) as Record<string, Value>, Object.fromEntries(entries))

interface MoreOfMessage extends Omit<More, 'fields'> {
  /** The invalid field, a dotted path into the request. */
  field?: string
  /** Overrides the code of the message, for errors from the cloud. */
  code?: ProblemCode
}

type Given<Key extends MessageKey> = [...values: GivenValues<Key>, more?: MoreOfMessage]

/**
 * Creates an error from a message in the contract, with the message's `err_code`. The values are also added to `data`.
 * Usage: `throw problem('networking.cidr_overlaps', { cidr, network })`.
 */
export function problem<Key extends MessageKey>(key: Key, ...given: Given<Key>): Problem {
  const [values = {}, more] = given as unknown as [MessageValues?, MoreOfMessage?]
  return problemOf({ key, values }, more)
}

/** Creates an error for one field in the request, a dotted path such as `volumes.0.size`. */
export function fieldProblem<Key extends MessageKey>(field: string, key: Key, ...given: Given<Key>): Problem {
  const [values = {}, more] = given as unknown as [MessageValues?, MoreOfMessage?]
  return problemOf({ key, values }, { ...more, field })
}

/** Creates an error from the result of a rule, or from the message of another error. */
export function problemOf(words: Said | RuleText, { field, code, ...more }: MoreOfMessage = {}): Problem {
  const found = saidOf(words)!
  const fields = field === undefined ? {} : { [field]: [found] }
  return new Problem(code ?? (codeOf(found.key) as ProblemCode), found, { fields, ...more })
}

/** The first message that a schema reports for invalid input. */
export function ruleIn({ issues }: Pick<z.ZodError, 'issues'>): RuleText {
  const [first] = issues
  // use the generic message if the schema does not define one
  return first && rulesIn(first.message).length > 0 ? (first.message as RuleText) : says('core.unreadable_value')
}

/** Creates an error with text from the cloud, which is not in the catalogues. Programs can identify it by its code. */
export const cloudSays = (reason: string, more: Required<Pick<MoreOfMessage, 'code'>> & MoreOfMessage): Problem =>
  problem('core.cloud_says', { reason }, more)

/** Messages for a field: keys with values if every message has them, otherwise the texts. */
const wordsOf = ({ fields, fieldsSaid }: Problem, name: string): Words[] => {
  const [texts, all] = [fields[name] ?? [], fieldsSaid[name] ?? []]
  return all.length === texts.length ? all : texts
}

interface Retold {
  /** The only invalid field. Default: the fields of the original error. */
  field?: string | undefined
  code?: ProblemCode
  message?: RuleText | undefined
  /** Added to the data of the original error. */
  data?: Record<string, unknown>
}

/** Copies an error, with another field, message or code. */
export function withField(failure: Problem, { field, code = failure.code, message, data }: Retold): Problem {
  const words = message ?? failure.said ?? failure.message
  const same = Object.keys(failure.fields).map((name) => [name, wordsOf(failure, name)] as const)
  const fields = field === undefined ? Object.fromEntries(same) : { [field]: [words] }
  return new Problem(code, words, { fields, data: { ...failure.data, ...data }, cause: failure })
}

/** Copies an error and renames its fields. */
export function withFieldNames(failure: Problem, nameOf: (field: string) => string): Problem {
  const { code, said, message, data, cause } = failure
  const fields = Object.keys(failure.fields).map((name) => [nameOf(name), wordsOf(failure, name)] as const)
  return new Problem(code, said ?? message, { fields: Object.fromEntries(fields), data, cause })
}

/** Creates an error for several fields. The message defaults to that of the first field. */
export const problemOfFields = (
  code: ProblemCode,
  fields: Record<string, RuleText[]>,
  message: RuleText = Object.values(fields)[0]![0]!,
  data: Record<string, unknown> = {},
): Problem => new Problem(code, message, { fields, data })

/**
 * The error for missing objects. Also used for objects that the caller may not see, so that the two cases cannot be
 * told apart (S1§8).
 */
export const notFound = (): Problem => problem('core.not_found')

/**
 * Error for an action that is not allowed in the current status, as plain text. Remaining uses are listed in
 * tools/checks/keyless-texts.ts.
 */
export const invalidState = (message: string, status: string): Problem =>
  new Problem('invalid_state', message, { data: { status } })
