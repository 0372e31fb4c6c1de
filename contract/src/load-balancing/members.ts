import { says } from '../core/said'
import * as z from 'zod'
import { Id, OptionalName } from '../core/names'
import { IpAddress } from '../networking/address-fields'

/**
 * Health of a member (S2§4). UNKNOWN: no health check, or no result yet. DISABLED: the member gets no traffic. ERROR:
 * it cannot be checked.
 */
export const memberHealths = ['HEALTHY', 'UNHEALTHY', 'DISABLED', 'UNKNOWN', 'ERROR'] as const
export type MemberHealth = (typeof memberHealths)[number]

/** An address that receives the traffic of a pool, on the pool's backend port. */
export const PoolMember = z.object({
  id: z.string(),
  address: z.string(),
  /** The given name, or the name of the instance. */
  name: z.string(),
  weight: z.number().int().describe('0: gets only the traffic of existing sticky sessions.'),
  enabled: z.boolean(),
  health: z.enum(memberHealths),
  /** Message that tells users why the member is not healthy; null if there is no reason to report. */
  reason: z.string().nullable(),
  /** Port with this address; null if no port in the project has it. */
  port_id: z.string().nullable(),
  /** Instance that owns the port. */
  instance_id: z.string().nullable(),
})
export type PoolMember = z.infer<typeof PoolMember>

export const MAX_MEMBERS = 1000
export const MAX_WEIGHT = 256
export const DEFAULT_WEIGHT = 1
const WEIGHT = says('loadBalancing.weight', { most: MAX_WEIGHT })

const MemberDraft = z.strictObject({
  /** ID of an existing member. Members can also be identified by address. */
  id: Id.optional(),
  address: IpAddress,
  name: OptionalName.optional(),
  weight: z.int(WEIGHT).min(0, WEIGHT).max(MAX_WEIGHT, WEIGHT).default(DEFAULT_WEIGHT),
  enabled: z.boolean().default(true),
})
/** Members of a pool. Each address may occur once. */
export const MemberDrafts = z
  .array(MemberDraft)
  .max(MAX_MEMBERS, says('loadBalancing.too_many_members', { most: MAX_MEMBERS }))
export type MemberDraft = z.infer<typeof MemberDraft>

/** Types of health checks (S2§9). `UDP-CONNECT` passes unless the packet is refused. */
export const monitorTypes = ['HTTP', 'HTTPS', 'TCP', 'UDP-CONNECT', 'PING'] as const
export type MonitorType = (typeof monitorTypes)[number]

export const MAX_DELAY_SECONDS = 3600
export const MAX_RETRIES = 10
const SECONDS = says('core.seconds_between', { most: MAX_DELAY_SECONDS, least: 1 })
const Seconds = z.int(SECONDS).min(1, SECONDS).max(MAX_DELAY_SECONDS, SECONDS)
const RETRIES = says('core.between', { most: MAX_RETRIES, least: 1 })
const Retries = z.int(RETRIES).min(1, RETRIES).max(MAX_RETRIES, RETRIES)

/** Health check of a pool. */
export const HealthMonitor = z.object({
  type: z.enum(monitorTypes),
  /** Path of the HTTP request; null for other types. Status codes 200 to 399 pass. */
  url_path: z.string().nullable(),
  delay: z.number().int().describe('Interval between health checks, in seconds.'),
  timeout: z.number().int().describe('Timeout of a health check, in seconds.'),
  max_retries: z.number().int().describe('Number of passed checks after which a member is healthy.'),
  max_retries_down: z.number().int().describe('Number of failed checks after which a member is unhealthy.'),
  enabled: z.boolean(),
})
export type HealthMonitor = z.infer<typeof HealthMonitor>

export const HealthMonitorDraft = z
  .strictObject({
    type: z.enum(monitorTypes),
    url_path: z
      .string()
      .max(255, says('core.too_long', { most: 255 }))
      .regex(/^\//, says('loadBalancing.path_slash'))
      .regex(/^[!-~]*$/, says('loadBalancing.path_form'))
      .nullable()
      .optional(),
    delay: Seconds.default(5),
    timeout: Seconds.default(3),
    max_retries: Retries.default(3),
    max_retries_down: Retries.default(3),
    enabled: z.boolean().default(true),
  })
  .superRefine(({ type, url_path, delay, timeout }, context) => {
    if (timeout >= delay)
      context.addIssue({ code: 'custom', path: ['timeout'], message: says('loadBalancing.timeout_below_interval') })
    if (url_path && type !== 'HTTP' && type !== 'HTTPS')
      context.addIssue({ code: 'custom', path: ['url_path'], message: says('loadBalancing.path_needs_http') })
  })
export type HealthMonitorDraft = z.infer<typeof HealthMonitorDraft>
