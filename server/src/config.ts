import { homedir } from 'node:os'
import path from 'node:path'
import * as z from 'zod'
import {
  address,
  choice,
  featuresOff,
  host,
  hosts,
  hours,
  isLoopback,
  parentOrigins,
  port,
  proxies,
  webAddress,
} from './config-values'
import { objectStorageVariables, rgwIn, s3In, type RgwConfig, type S3Config } from './config-object-storage'
import { limits } from './limits'
import { passwordFaults } from '@mainstay/contract/identity/password-rules'
import { aboutLinks, type AboutLink } from '@mainstay/contract/identity/session'
import { englishText } from '@mainstay/contract/core/english'
import type { FeatureId } from '@mainstay/contract/settings/features'

/** How the server is run. Made from the environment, which nothing else reads. */
export interface Config {
  /** One folder for everything it keeps. */
  dataFolder: string
  host: string
  /** 0 picks a free one. */
  port: number
  adminPort: number
  tls: { kind: 'none' } | { kind: 'self-signed' } | { kind: 'files'; certificate: string; key: string }
  /** Addresses and networks of load balancers in front, whose word on who calls is taken. */
  proxies: string[]
  /**
   * Names under which the server answers, beside localhost and loopback addresses; null: any. A server on loopback
   * answers under these alone.
   */
  hosts: string[] | null
  /** Hosts of identity providers that are asked wherever they are, also on this machine, and without TLS. */
  providerHosts: string[]
  /** Hosts from which images are imported wherever they are, also on this machine, and without TLS. */
  importHosts: string[]
  /** Whether system permissions count at the portal as well, and not at the admin port alone. */
  portalOperators: boolean
  /** Where people find the console and the administration panel, for links that are mailed; null: where who calls has them. */
  address: string | null
  adminAddress: string | null
  /** How many requests a second one token may send. */
  callsPerSecond: number
  /** With it a program may read `/metrics`; null: operators alone. */
  metricsToken: string | null
  /** Where a store of time series is asked and fed; `off`: nowhere; null: one is started beside the server. */
  metricsUrl: string | null
  /** Where operators find dashboards of their own; null: nowhere. */
  grafanaUrl: string | null
  /** Seals secrets of settings: the same on all servers of a database; null: one is made and kept in the data folder. */
  sealingKey: string | null
  /** Password of the first administrator; generated and printed once where null. */
  adminPassword: string | null
  /** A PostgreSQL of one's own; null starts one in the data folder. */
  databaseUrl: string | null
  /** Whether this machine is an engine. */
  embedded: boolean
  /** The cloud that is an engine; null: there is none. */
  cloud: CloudConfig | null
  /** Which engine serves an area, where several can: `{ storage: 'embedded' }`. */
  areas: Record<string, string>
  /** Where this machine serves S3 to programs; null: it does not. */
  s3: S3Config | null
  /** The Ceph Object Gateway that has object storage; null: there is none. */
  rgw: RgwConfig | null
  hypervisor: 'qemu' | 'simulated'
  world: 'empty' | 'demo' | 'busy' | 'degraded'
  /** Disk image of the guest to try things with; null: beside the program, `none`: there is no such guest. */
  tryOutGuest: string | null
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** The built console; null: beside the server. */
  consoleFolder: string | null
  sessionHours: number
  sessionIdleHours: number
  /** How long the audit log keeps its lines. */
  auditDays: number
  /** Where lines of the audit log are forwarded to; null: nowhere. */
  auditSyslog: SyslogTarget | null
  /** Replies are held against the contract before they are sent. */
  checkReplies: boolean
  /** Features of the console that are off for everybody who does not turn them on. */
  featuresOff: readonly FeatureId[]
  /** Where the About dialog leads to, by what it is. */
  links: Partial<Record<AboutLink, string>>
  /** Origins of pages elsewhere that may hold forms of the portal in a frame. */
  parentOrigins: readonly string[]
}

/** A receiver of RFC 5424. */
export interface SyslogTarget {
  transport: 'udp' | 'tcp' | 'tls'
  host: string
  port: number
}

/** Where a cloud is said to be. What it says is read by the engine. */
export interface CloudConfig {
  /** An entry of a clouds file; null: what the variables say. */
  name: string | null
  /** Everything of the environment that begins with `OS_`. */
  variables: Record<string, string>
  /** Message bus on which the cloud announces changes. */
  notificationsUrl: string | null
  /** Where browsers find the cloud's sign-in page; null: where the cloud itself says that it is. */
  webssoUrl: string | null
  folder: string
  home: string
}

const tls = z
  .string()
  .transform((text, context): Config['tls'] => {
    if (text === 'self-signed') return { kind: 'self-signed' }
    const [certificate, key, ...more] = text.split(',').map((part) => part.trim())
    if (certificate && key && more.length === 0) return { kind: 'files', certificate, key }
    context.addIssue({ code: 'custom', message: 'must be "self-signed" or two files: certificate.pem,key.pem' })
    return z.NEVER
  })
  .default({ kind: 'none' })

const syslogPorts = { udp: 514, tcp: 514, tls: 6514 } as const

/** `tls://log.example:6514`; null where it is no such address. */
function readSyslogTarget(text: string): SyslogTarget | null {
  const [, transport, host, port] =
    /^(udp|tcp|tls):\/\/(\[[0-9a-f:.]+\]|[\w.-]{1,253})(?::(\d{1,5}))?$/i.exec(text) ?? []
  if (transport === undefined || host === undefined) return null
  const of = transport.toLowerCase() as SyslogTarget['transport']
  const number = port === undefined ? syslogPorts[of] : Number(port)
  if (number < 1 || number > 65535) return null
  return { transport: of, host: host.replaceAll(/[[\]]/g, ''), port: number }
}

const engines = z
  .enum(['embedded', 'openstack', 'embedded,openstack'], 'must be one of embedded, openstack; or embedded,openstack')
  .nullable()
  .default(null)

const areas = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (parts) => parts.every((part) => /^[a-z-]+=[^=]+$/.test(part)),
    'must say which engine serves an area: compute=openstack,storage=embedded',
  )
  .transform((parts) => Object.fromEntries(parts.map((part) => part.split('=') as [string, string])))
  .default({})

const links = z
  .string()
  .transform((text) =>
    text.split(',').map((part) => /^\s*([a-z]+)=((?:https?:\/\/|mailto:)[^\s"'<>]{1,2000}?)\s*$/.exec(part)),
  )
  .refine(
    (parts) => parts.every((it) => it !== null && (aboutLinks as readonly string[]).includes(it[1]!)),
    `must say addresses of ${aboutLinks.join(', ')}: docs=https://docs.example,contact=mailto:help@cloud.example`,
  )
  .transform((parts): Config['links'] => Object.fromEntries(parts.map((it) => [it![1], it![2]])))
  .default({})

const adminPassword = z
  .string()
  .max(1024, 'must have at most 1024 characters')
  .superRefine((password, context) => {
    const [fault] = passwordFaults(password)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: `is too weak. ${englishText(fault)}` })
  })

const Environment = z.object({
  MAINSTAY_DATA: z.string().default('data'),
  MAINSTAY_HOST: host.default('127.0.0.1'),
  MAINSTAY_PORT: port.default(8800),
  MAINSTAY_ADMIN_PORT: port.default(8888),
  ...objectStorageVariables,
  MAINSTAY_TLS: tls,
  MAINSTAY_PROXIES: proxies,
  MAINSTAY_HOSTS: hosts,
  MAINSTAY_PORTAL_OPERATORS: z.enum(['0', '1'], 'must be 0 or 1').nullable().default(null),
  MAINSTAY_PROVIDER_HOSTS: hosts,
  MAINSTAY_IMPORT_HOSTS: hosts,
  MAINSTAY_ADDRESS: address,
  MAINSTAY_ADMIN_ADDRESS: address,
  MAINSTAY_CALLS_PER_SECOND: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a number from 1 to 999999')
    .transform(Number)
    .default(limits.rates.token.perSecond),
  MAINSTAY_METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,256}$/, 'must have 16 to 256 characters without spaces')
    .nullable()
    .default(null),
  MAINSTAY_METRICS_URL: webAddress('http://user:password@host:8428, or be off', 'off'),
  MAINSTAY_GRAFANA_URL: webAddress('https://grafana.example'),
  MAINSTAY_SEALING_KEY: z
    .string()
    .regex(/^[!-~]{32,256}$/, 'must have 32 to 256 characters without spaces')
    .nullable()
    .default(null),
  MAINSTAY_ADMIN_PASSWORD: adminPassword.nullable().default(null),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/\S+$/, 'must look like postgres://user:password@host:5432/database')
    .nullable()
    .default(null),
  MAINSTAY_ENGINE: engines,
  MAINSTAY_AREAS: areas,
  MAINSTAY_CLOUD: z.string().nullable().default(null),
  OPENSTACK_NOTIFICATIONS_URL: z.string().nullable().default(null),
  OPENSTACK_WEBSSO_URL: z.string().nullable().default(null),
  MAINSTAY_HYPERVISOR: choice(['qemu', 'simulated'], 'qemu'),
  MAINSTAY_WORLD: choice(['empty', 'demo', 'busy', 'degraded'], 'empty'),
  MAINSTAY_TRY_OUT_GUEST: z.string().nullable().default(null),
  MAINSTAY_LOG_LEVEL: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
  MAINSTAY_CONSOLE: z.string().nullable().default(null),
  MAINSTAY_SESSION_HOURS: hours(12),
  MAINSTAY_SESSION_IDLE_HOURS: hours(8),
  MAINSTAY_AUDIT_DAYS: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a number of days')
    .transform(Number)
    .refine((it) => it >= 1 && it <= 3650, 'must be from 1 to 3650 days')
    .default(365),
  MAINSTAY_AUDIT_SYSLOG: z
    .string()
    .transform(readSyslogTarget)
    .refine((target) => target !== null, 'must look like udp://host:514, tcp://host:514 or tls://host:6514')
    .nullable()
    .default(null),
  MAINSTAY_FEATURES_OFF: featuresOff,
  MAINSTAY_PARENT_ORIGINS: parentOrigins,
  MAINSTAY_LINKS: links,
  MAINSTAY_CHECK_REPLIES: z.enum(['0', '1'], 'must be 0 or 1').default('0'),
})

/** The variables that configure the server, and the value of each where it is not set; null where it has none. */
export const variableDefaults: Readonly<Record<string, unknown>> = Environment.parse({})

type Variables = z.output<typeof Environment>

/** The cloud that the environment names; adds what is wrong with it to `lines`. */
function cloudIn(it: Variables, set: Record<string, string>, folder: string, lines: string[]): CloudConfig | null {
  if (it.MAINSTAY_ENGINE === 'embedded' && it.MAINSTAY_CLOUD !== null)
    lines.push('MAINSTAY_ENGINE=embedded and MAINSTAY_CLOUD exclude each other; for both: embedded,openstack')
  const isWanted = it.MAINSTAY_ENGINE?.includes('openstack') || it.MAINSTAY_CLOUD !== null
  if (!isWanted) return null
  const variables = Object.fromEntries(Object.entries(set).filter(([name]) => name.startsWith('OS_')))
  const name = it.MAINSTAY_CLOUD ?? variables['OS_CLOUD'] ?? null
  if (name === null && !variables['OS_AUTH_URL'])
    lines.push(
      `MAINSTAY_ENGINE=${it.MAINSTAY_ENGINE} needs MAINSTAY_CLOUD, or OS_AUTH_URL and the variables that belong to it`,
    )
  for (const variable of ['MAINSTAY_HYPERVISOR', 'MAINSTAY_WORLD'])
    if (set[variable] !== undefined && !it.MAINSTAY_ENGINE?.includes('embedded'))
      lines.push(`${variable} is about the engine of this machine; with a cloud there is none`)
  const home = set['HOME'] ?? homedir()
  const [notificationsUrl, webssoUrl] = [it.OPENSTACK_NOTIFICATIONS_URL, it.OPENSTACK_WEBSSO_URL]
  return { name, variables, notificationsUrl, webssoUrl, folder, home }
}

/** The environment says something that cannot be; each line names a variable. */
export class ConfigError extends Error {
  readonly lines: string[]
  constructor(lines: string[]) {
    super(lines.join('\n'))
    this.name = 'ConfigError'
    this.lines = lines
  }
}

/** Reads the configuration; a variable set to an empty text counts as not set. Throws `ConfigError` with every fault. */
export function readConfig(environment: Record<string, string | undefined>, folder = process.cwd()): Config {
  const set = Object.fromEntries(
    Object.entries(environment).filter((it): it is [string, string] => it[1] !== undefined && it[1] !== ''),
  )
  const result = Environment.safeParse(set)
  const lines = result.success ? [] : result.error.issues.map((it) => `${it.path.join('.')} ${englishText(it.message)}`)
  if (!result.success) throw new ConfigError(lines)
  const it = result.data
  if (!isLoopback(it.MAINSTAY_HOST) && it.MAINSTAY_TLS.kind === 'none')
    lines.push(
      `MAINSTAY_HOST is ${it.MAINSTAY_HOST}, which others can reach: passwords would travel in the clear. ` +
        'Set MAINSTAY_TLS to self-signed, or to certificate.pem,key.pem',
    )
  if (it.MAINSTAY_PORT !== 0 && it.MAINSTAY_PORT === it.MAINSTAY_ADMIN_PORT)
    lines.push('MAINSTAY_ADMIN_PORT must differ from MAINSTAY_PORT')
  const cloud = cloudIn(it, set, folder, lines)
  const embedded = cloud === null || it.MAINSTAY_ENGINE === 'embedded,openstack'
  const rgw = rgwIn(it, folder, lines)
  const s3 = s3In(it, embedded && rgw === null, lines)
  if (it.MAINSTAY_WORLD !== 'empty' && it.MAINSTAY_HYPERVISOR !== 'simulated')
    lines.push(`MAINSTAY_WORLD=${it.MAINSTAY_WORLD} needs MAINSTAY_HYPERVISOR=simulated`)
  if (lines.length > 0) throw new ConfigError(lines)
  return {
    dataFolder: path.resolve(folder, it.MAINSTAY_DATA),
    host: it.MAINSTAY_HOST,
    port: it.MAINSTAY_PORT,
    adminPort: it.MAINSTAY_ADMIN_PORT,
    tls: it.MAINSTAY_TLS,
    proxies: it.MAINSTAY_PROXIES,
    hosts: it.MAINSTAY_HOSTS ?? (isLoopback(it.MAINSTAY_HOST) ? [] : null),
    portalOperators:
      it.MAINSTAY_PORTAL_OPERATORS === null ? isLoopback(it.MAINSTAY_HOST) : it.MAINSTAY_PORTAL_OPERATORS === '1',
    providerHosts: it.MAINSTAY_PROVIDER_HOSTS ?? [],
    importHosts: it.MAINSTAY_IMPORT_HOSTS ?? [],
    address: it.MAINSTAY_ADDRESS,
    adminAddress: it.MAINSTAY_ADMIN_ADDRESS,
    callsPerSecond: it.MAINSTAY_CALLS_PER_SECOND,
    metricsToken: it.MAINSTAY_METRICS_TOKEN,
    metricsUrl: it.MAINSTAY_METRICS_URL,
    grafanaUrl: it.MAINSTAY_GRAFANA_URL,
    sealingKey: it.MAINSTAY_SEALING_KEY,
    adminPassword: it.MAINSTAY_ADMIN_PASSWORD,
    databaseUrl: it.DATABASE_URL,
    embedded,
    cloud,
    s3,
    rgw,
    areas: it.MAINSTAY_AREAS,
    hypervisor: it.MAINSTAY_HYPERVISOR,
    world: it.MAINSTAY_WORLD,
    tryOutGuest: it.MAINSTAY_TRY_OUT_GUEST,
    logLevel: it.MAINSTAY_LOG_LEVEL,
    consoleFolder: it.MAINSTAY_CONSOLE === null ? null : path.resolve(folder, it.MAINSTAY_CONSOLE),
    sessionHours: it.MAINSTAY_SESSION_HOURS,
    sessionIdleHours: it.MAINSTAY_SESSION_IDLE_HOURS,
    auditDays: it.MAINSTAY_AUDIT_DAYS,
    auditSyslog: it.MAINSTAY_AUDIT_SYSLOG,
    checkReplies: it.MAINSTAY_CHECK_REPLIES === '1',
    featuresOff: it.MAINSTAY_FEATURES_OFF,
    parentOrigins: it.MAINSTAY_PARENT_ORIGINS,
    links: it.MAINSTAY_LINKS,
  }
}
