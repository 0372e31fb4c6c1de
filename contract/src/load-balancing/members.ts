import { says } from '../core/said'
import * as z from 'zod'
import { Id, OptionalName } from '../core/names'
import { IpAddress } from '../networking/address-fields'

/** S2§4. UNKNOWN: no monitor looks, or it has not looked yet. DISABLED: it is given nothing. ERROR: it cannot be asked. */
export const memberHealths = ['HEALTHY', 'UNHEALTHY', 'DISABLED', 'UNKNOWN', 'ERROR'] as const
export type MemberHealth = (typeof memberHealths)[number]

/** An address that a pool passes on to, at the backend port of the pool. */
export const PoolMember = z.object({
  id: z.string(),
  address: z.string(),
  /** A name that was given to it, else that of the instance. */
  name: z.string(),
  weight: z.number().int().describe('0: nothing but what sticks to it already'),
  enabled: z.boolean(),
  health: z.enum(memberHealths),
  /** Why it is not healthy, for people; null where there is nothing to say. */
  reason: z.string().nullable(),
  /** The port with this address; null where no port of the project has it. */
  port_id: z.string().nullable(),
  /** The instance that has the port. */
  instance_id: z.string().nullable(),
})
export type PoolMember = z.infer<typeof PoolMember>

export const MAX_MEMBERS = 1000
export const MAX_WEIGHT = 256
export const DEFAULT_WEIGHT = 1
const WEIGHT = says('loadBalancing.weight', { most: MAX_WEIGHT })

const MemberDraft = z.strictObject({
  /** Of a member that is there; one is also known by its address. */
  id: Id.optional(),
  address: IpAddress,
  name: OptionalName.optional(),
  weight: z.int(WEIGHT).min(0, WEIGHT).max(MAX_WEIGHT, WEIGHT).default(DEFAULT_WEIGHT),
  enabled: z.boolean().default(true),
})
/** Those of a pool: each address once. */
export const MemberDrafts = z
  .array(MemberDraft)
  .max(MAX_MEMBERS, says('loadBalancing.too_many_members', { most: MAX_MEMBERS }))
export type MemberDraft = z.infer<typeof MemberDraft>

/** S2§9. `UDP-CONNECT`: a packet that nobody refuses. */
export const monitorTypes = ['HTTP', 'HTTPS', 'TCP', 'UDP-CONNECT', 'PING'] as const
export type MonitorType = (typeof monitorTypes)[number]

export const MAX_DELAY_SECONDS = 3600
export const MAX_RETRIES = 10
const SECONDS = says('core.seconds_between', { most: MAX_DELAY_SECONDS, least: 1 })
const Seconds = z.int(SECONDS).min(1, SECONDS).max(MAX_DELAY_SECONDS, SECONDS)
const RETRIES = says('core.between', { most: MAX_RETRIES, least: 1 })
const Retries = z.int(RETRIES).min(1, RETRIES).max(MAX_RETRIES, RETRIES)

/** How a pool finds out whether a member answers. */
export const HealthMonitor = z.object({
  type: z.enum(monitorTypes),
  /** What is asked for by HTTP; null for other types. An answer of 200 to 399 is good. */
  url_path: z.string().nullable(),
  delay: z.number().int().describe('seconds from one question to the next'),
  timeout: z.number().int().describe('seconds to wait for the answer'),
  max_retries: z.number().int().describe('good answers after which a member is healthy'),
  max_retries_down: z.number().int().describe('failures after which it is unhealthy'),
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
