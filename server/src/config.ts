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
import { cephIn, cephVariables, type CephConfig } from './config-ceph'
import { objectStorageVariables, rgwIn, s3In, type RgwConfig, type S3Config } from './config-object-storage'
import { limits } from './limits'
import { passwordFaults } from '@mainstay/contract/identity/password-rules'
import { aboutLinks, type AboutLink } from '@mainstay/contract/identity/session'
import { englishText } from '@mainstay/contract/core/english'
import type { FeatureId } from '@mainstay/contract/settings/features'

/** Server configuration, created from the environment. No other code reads these variables. */
export interface Config {
  /** Folder for all server data. */
  dataFolder: string
  host: string
  /** 0 picks a free port. */
  port: number
  adminPort: number
  tls: { kind: 'none' } | { kind: 'self-signed' } | { kind: 'files'; certificate: string; key: string }
  /** Addresses and CIDR ranges of trusted load balancers. The client addresses that they forward are used. */
  proxies: string[]
  /**
   * Host names to accept in addition to localhost and loopback addresses; null: accept any. The default is an empty
   * list on loopback, and null otherwise.
   */
  hosts: string[] | null
  /** Identity provider hosts that may resolve to any address, including this machine's, and may be used without TLS. */
  providerHosts: string[]
  /** Image import hosts that may resolve to any address, including this machine's, and may be used without TLS. */
  importHosts: string[]
  /** Whether system permissions also apply in the portal, not only on the admin port. */
  portalOperators: boolean
  /** Public URLs of the two panels, for links in emails; null: use the URL of the request. */
  address: string | null
  adminAddress: string | null
  /** Rate limit per token, in requests per second. */
  callsPerSecond: number
  /** Bearer token for scraping `/metrics`; null: only operators can read it. */
  metricsToken: string | null
  /** URL of a time series store. `off`: do not store metrics; null: the server starts its own store. */
  metricsUrl: string | null
  /** URL of the operators' Grafana dashboards; null if not configured. */
  grafanaUrl: string | null
  /**
   * Encrypts secrets in settings. Must be the same on all servers that share a database. Null: generated and kept in
   * the data folder.
   */
  sealingKey: string | null
  /** Password for the first administrator; null: generated and printed once. */
  adminPassword: string | null
  /** URL of an external PostgreSQL server; null: the server starts its own in the data folder. */
  databaseUrl: string | null
  /** Whether the embedded engine is used. */
  embedded: boolean
  /** The connected cloud; null if there is none. */
  cloud: CloudConfig | null
  /** Engine for each area that more than one engine can serve: `{ storage: 'embedded' }`. */
  areas: Record<string, string>
  /** This machine's S3 service; null if disabled. */
  s3: S3Config | null
  /** Ceph Object Gateway that serves object storage; null if there is none. */
  rgw: RgwConfig | null
  /** Attached Ceph cluster; null if there is none. */
  ceph: CephConfig | null
  hypervisor: 'qemu' | 'simulated'
  world: 'empty' | 'demo' | 'busy' | 'degraded'
  /** File of the sample image. Null: the file next to the program; `none`: no sample image. */
  sampleImage: string | null
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Folder with the built console; null: the one next to the server. */
  consoleFolder: string | null
  sessionHours: number
  sessionIdleHours: number
  /** Retention of audit entries, in days. */
  auditDays: number
  /** Syslog server to forward audit entries to; null: none. */
  auditSyslog: SyslogTarget | null
  /** Whether replies are validated against the contract before they are sent. */
  checkReplies: boolean
  /** Console features that are disabled by default; users can enable them. */
  featuresOff: readonly FeatureId[]
  /** Links in the About dialog, by kind. */
  links: Partial<Record<AboutLink, string>>
  /** Origins of other websites that may embed portal forms in a frame. */
  parentOrigins: readonly string[]
}

/** A syslog receiver (RFC 5424). */
export interface SyslogTarget {
  transport: 'udp' | 'tcp' | 'tls'
  host: string
  port: number
}

/** Settings for connecting to a cloud, interpreted by its engine. */
export interface CloudConfig {
  /** Name of an entry in a clouds file; null: the variables describe the cloud. */
  name: string | null
  /** All environment variables that start with `OS_`. */
  variables: Record<string, string>
  /** URL of the message bus that carries the cloud's change notifications. */
  notificationsUrl: string | null
  /** URL of the cloud's browser sign-in page; null: the URL that the cloud reports. */
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

/** Parses a URL such as `tls://log.example:6514`; returns null if it is invalid. */
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
    'must assign engines to areas, for example compute=openstack,storage=embedded',
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
    `must set links for ${aboutLinks.join(', ')}: docs=https://docs.example,contact=mailto:help@cloud.example`,
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
  ...cephVariables,
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
  MAINSTAY_SAMPLE_IMAGE: z.string().nullable().default(null),
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

/** Default of each configuration variable; null if it has none. */
export const variableDefaults: Readonly<Record<string, unknown>> = Environment.parse({})

/** Former names of settings, which still work, and the current names. */
export const renamedVariables: Readonly<Record<string, string>> = { MAINSTAY_TRY_OUT_GUEST: 'MAINSTAY_SAMPLE_IMAGE' }

type Variables = z.output<typeof Environment>

/** The configured cloud, or null. Appends configuration errors to `lines`. */
function cloudIn(it: Variables, set: Record<string, string>, folder: string, lines: string[]): CloudConfig | null {
  if (it.MAINSTAY_ENGINE === 'embedded' && it.MAINSTAY_CLOUD !== null)
    lines.push('MAINSTAY_ENGINE=embedded excludes MAINSTAY_CLOUD; to use both, set embedded,openstack')
  const isWanted = it.MAINSTAY_ENGINE?.includes('openstack') || it.MAINSTAY_CLOUD !== null
  if (!isWanted) return null
  const variables = Object.fromEntries(Object.entries(set).filter(([name]) => name.startsWith('OS_')))
  const name = it.MAINSTAY_CLOUD ?? variables['OS_CLOUD'] ?? null
  if (name === null && !variables['OS_AUTH_URL'])
    lines.push(
      `MAINSTAY_ENGINE=${it.MAINSTAY_ENGINE} requires MAINSTAY_CLOUD, or OS_AUTH_URL and its related variables`,
    )
  for (const variable of ['MAINSTAY_HYPERVISOR', 'MAINSTAY_WORLD'])
    if (set[variable] !== undefined && !it.MAINSTAY_ENGINE?.includes('embedded'))
      lines.push(`${variable} applies only to the embedded engine, which is not used with a cloud`)
  const home = set['HOME'] ?? homedir()
  const [notificationsUrl, webssoUrl] = [it.OPENSTACK_NOTIFICATIONS_URL, it.OPENSTACK_WEBSSO_URL]
  return { name, variables, notificationsUrl, webssoUrl, folder, home }
}

/** The environment is invalid. Each line describes one error. */
export class ConfigError extends Error {
  readonly lines: string[]
  constructor(lines: string[]) {
    super(lines.join('\n'))
    this.name = 'ConfigError'
    this.lines = lines
  }
}

/** Reads the configuration. Empty variables are treated as unset. Throws a `ConfigError` that lists every error. */
export function readConfig(environment: Record<string, string | undefined>, folder = process.cwd()): Config {
  const set = Object.fromEntries(
    Object.entries(environment).filter((it): it is [string, string] => it[1] !== undefined && it[1] !== ''),
  )
  for (const [former, name] of Object.entries(renamedVariables))
    if (set[former] !== undefined) set[name] ??= set[former]
  const result = Environment.safeParse(set)
  const lines = result.success ? [] : result.error.issues.map((it) => `${it.path.join('.')} ${englishText(it.message)}`)
  if (!result.success) throw new ConfigError(lines)
  const it = result.data
  if (!isLoopback(it.MAINSTAY_HOST) && it.MAINSTAY_TLS.kind === 'none')
    lines.push(
      `MAINSTAY_HOST is ${it.MAINSTAY_HOST}, which other hosts can reach: passwords would be sent unencrypted. ` +
        'Set MAINSTAY_TLS to self-signed, or to certificate.pem,key.pem',
    )
  if (it.MAINSTAY_PORT !== 0 && it.MAINSTAY_PORT === it.MAINSTAY_ADMIN_PORT)
    lines.push('MAINSTAY_ADMIN_PORT must differ from MAINSTAY_PORT')
  const cloud = cloudIn(it, set, folder, lines)
  const embedded = cloud === null || it.MAINSTAY_ENGINE === 'embedded,openstack'
  const rgw = rgwIn(it, folder, lines)
  const ceph = cephIn(it, folder, lines)
  const s3 = s3In(it, embedded && rgw === null, lines)
  if (it.MAINSTAY_WORLD !== 'empty' && it.MAINSTAY_HYPERVISOR !== 'simulated')
    lines.push(`MAINSTAY_WORLD=${it.MAINSTAY_WORLD} requires MAINSTAY_HYPERVISOR=simulated`)
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
    ...{ address: it.MAINSTAY_ADDRESS, adminAddress: it.MAINSTAY_ADMIN_ADDRESS },
    callsPerSecond: it.MAINSTAY_CALLS_PER_SECOND,
    metricsToken: it.MAINSTAY_METRICS_TOKEN,
    metricsUrl: it.MAINSTAY_METRICS_URL,
    grafanaUrl: it.MAINSTAY_GRAFANA_URL,
    sealingKey: it.MAINSTAY_SEALING_KEY,
    adminPassword: it.MAINSTAY_ADMIN_PASSWORD,
    databaseUrl: it.DATABASE_URL,
    ...{ embedded, cloud, s3, rgw, ceph },
    areas: it.MAINSTAY_AREAS,
    hypervisor: it.MAINSTAY_HYPERVISOR,
    world: it.MAINSTAY_WORLD,
    sampleImage: it.MAINSTAY_SAMPLE_IMAGE,
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
