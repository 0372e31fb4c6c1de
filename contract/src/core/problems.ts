import * as z from 'zod'
import { codeOf, englishOf, englishText } from './english'
import type { MessageValues } from './message-tree'
import { rulesIn, says, type GivenValues, type MessageKey, type RuleText, type Said } from './said'

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

/** A message by its key in the catalogues of the contract, with its values: for those who say it in another language. */
export const SaidBody = z.object({ key: z.string(), values: z.record(z.string(), z.union([z.string(), z.number()])) })

/** Body of every answer that is not good (S1§8). */
export const ProblemBody = z.object({
  error: z.object({
    /** In English. */
    message: z.string(),
    err_code: z.string(),
    /** Messages by field, as a dotted path into what was sent. */
    fields: z.record(z.string(), z.array(z.string())),
    /** The values of the message, and what else programs are told. */
    data: z.record(z.string(), z.unknown()),
    /** What `message` says; null where it is a fault of ours. */
    said: SaidBody.nullable(),
    /** What `fields` say. */
    fields_said: z.record(z.string(), z.array(SaidBody)),
    /** The id under which the log tells more. */
    request_id: z.string(),
  }),
})
export type ProblemBody = z.infer<typeof ProblemBody>

/** Why a command would be refused, told before it is given. */
export const Refusal = z.object({ code: z.string(), message: z.string(), said: SaidBody.nullish() })
export type Refusal = z.infer<typeof Refusal>

/** A message; as a text where it is that of a rule, or that of an answer. */
type Words = string | Said

const saidOf = (words: Words): Said | null => (typeof words === 'string' ? (rulesIn(words)[0] ?? null) : words)
const english = (words: Words): string => (typeof words === 'string' ? englishText(words) : englishOf(words))

interface More {
  fields?: Record<string, Words[]>
  /** What programs are told beside the values of the message. */
  data?: Record<string, unknown>
  cause?: unknown
}

/** An expected failure: thrown where it is known, turned into an answer once. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  /** What it says; null where it came as a text. */
  readonly said: Said | null
  /** In English, by field, as a dotted path into what was sent. */
  readonly fields: Record<string, string[]>
  /** What they say. */
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

/** A caller may well name a field `constructor`. */
const withoutPrototype = <Value>(entries: (readonly [string, Value])[]): Record<string, Value> =>
  Object.assign(Object.create(null) as Record<string, Value>, Object.fromEntries(entries))

interface MoreOfMessage extends Omit<More, 'fields'> {
  /** The field of what was sent that is wrong, as a dotted path. */
  field?: string
  /** Where the code of the message is not the one: the cloud's own, for its own words. */
  code?: ProblemCode
}

type Given<Key extends MessageKey> = [...values: GivenValues<Key>, more?: MoreOfMessage]

/**
 * A failure by a message of the contract, whose `err_code` it has. The values go into `data` as well:
 * `throw problem('networking.cidr_overlaps', { cidr, network })`.
 */
export function problem<Key extends MessageKey>(key: Key, ...given: Given<Key>): Problem {
  const [values = {}, more] = given as unknown as [MessageValues?, MoreOfMessage?]
  return problemOf({ key, values }, more)
}

/** A refusal that belongs to one field of what was sent, as a dotted path: `volumes.0.size`. */
export function fieldProblem<Key extends MessageKey>(field: string, key: Key, ...given: Given<Key>): Problem {
  const [values = {}, more] = given as unknown as [MessageValues?, MoreOfMessage?]
  return problemOf({ key, values }, { ...more, field })
}

/** A failure by what a rule has found, or by what another failure said. */
export function problemOf(words: Said | RuleText, { field, code, ...more }: MoreOfMessage = {}): Problem {
  const found = saidOf(words)!
  const fields = field === undefined ? {} : { [field]: [found] }
  return new Problem(code ?? (codeOf(found.key) as ProblemCode), found, { fields, ...more })
}

/** What a schema has found first, of an input that does not fit. */
export function ruleIn({ issues }: Pick<z.ZodError, 'issues'>): RuleText {
  const [first] = issues
  // of what no message of the schema is about it is said that it is not valid
  return first && rulesIn(first.message).length > 0 ? (first.message as RuleText) : says('core.unreadable_value')
}

/** A failure in words of the cloud's own, which no catalogue has; programs are told by its code. */
export const cloudSays = (reason: string, more: Required<Pick<MoreOfMessage, 'code'>> & MoreOfMessage): Problem =>
  problem('core.cloud_says', { reason }, more)

/** Where there is a message for each text of a field, these are told again; otherwise the texts. */
const wordsOf = ({ fields, fieldsSaid }: Problem, name: string): Words[] => {
  const [texts, all] = [fields[name] ?? [], fieldsSaid[name] ?? []]
  return all.length === texts.length ? all : texts
}

interface Retold {
  /** The only field that is wrong; left out: those that were. */
  field?: string | undefined
  code?: ProblemCode
  message?: RuleText | undefined
  /** Beside what the failure tells. */
  data?: Record<string, unknown>
}

/** The same failure, told at another field, by another message or with another code. */
export function withField(failure: Problem, { field, code = failure.code, message, data }: Retold): Problem {
  const words = message ?? failure.said ?? failure.message
  const same = Object.keys(failure.fields).map((name) => [name, wordsOf(failure, name)] as const)
  const fields = field === undefined ? Object.fromEntries(same) : { [field]: [words] }
  return new Problem(code, words, { fields, data: { ...failure.data, ...data }, cause: failure })
}

/** The same failure with its fields under other names. */
export function withFieldNames(failure: Problem, nameOf: (field: string) => string): Problem {
  const { code, said, message, data, cause } = failure
  const fields = Object.keys(failure.fields).map((name) => [nameOf(name), wordsOf(failure, name)] as const)
  return new Problem(code, said ?? message, { fields: Object.fromEntries(fields), data, cause })
}

/** What is wrong with several fields; the first of them says it, where there is no message for all. */
export const problemOfFields = (
  code: ProblemCode,
  fields: Record<string, RuleText[]>,
  message: RuleText = Object.values(fields)[0]![0]!,
  data: Record<string, unknown> = {},
): Problem => new Problem(code, message, { fields, data })

/** The same answer for what is not there and for what the caller may not know of (S1§8). */
export const notFound = (): Problem => problem('core.not_found')

/** An action that the object's present state does not allow, by a text; tools/checks/keyless-texts.ts lists who still uses it. */
export const invalidState = (message: string, status: string): Problem =>
  new Problem('invalid_state', message, { data: { status } })
