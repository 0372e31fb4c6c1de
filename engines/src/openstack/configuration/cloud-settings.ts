import path from 'node:path'
import { EngineChoiceError, type CloudChoice } from '../../ports/engines'
import { Secret } from '../../ports/secret'
import type { Service } from '../client/service-client'
import type { EndpointOptions } from '../client/catalogue'
import type { AuthScope, Credentials } from '../client/credentials'
import { busAddresses } from '../feed/bus-addresses'
import { entryOf, variableOf } from './cloud-variables'
import { readCloudEntry } from './clouds-file'
import { Entry, type Fail, type Fault } from './entry-shape'
import { accountOf } from './account-of-entry'

/** Connection settings for a cloud and its service account. */
export interface CloudSettings {
  /** Display name: the name of the entry, or the host in the URL. */
  name: string
  authUrl: string
  /**
   * The service account, and the project that it administers. An application credential is already bound to its
   * project.
   */
  credentials: Credentials
  scope: AuthScope | undefined
  endpoints: EndpointOptions
  tls: { verify?: boolean; caFile?: string }
  /** URL of the cloud's message bus, including the password. Null: the cloud is polled. */
  notificationsUrl: Secret | null
  /** URL of the identity service for browsers. Null: the public endpoint from the catalogue. */
  webssoUrl: string | null
}

/** Service names in `<name>_endpoint_override`. */
const overrideNames: Record<string, Service> = {
  identity: 'identity',
  compute: 'compute',
  image: 'image',
  network: 'network',
  block_storage: 'volume',
  volume: 'volume',
  volumev3: 'volume',
  placement: 'placement',
  load_balancer: 'load-balancer',
  key_manager: 'key-manager',
}

function authUrlOf({ auth }: Entry, fail: Fail): string {
  const { auth_url: url } = auth
  if (url === null) fail(['auth', 'auth_url'], 'is missing')
  else if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    fail(['auth', 'auth_url'], 'must be an address such as https://cloud.example.org:5000/v3')
  return url ?? ''
}

function overridesOf(entry: Entry, fail: Fail): NonNullable<EndpointOptions['overrides']> {
  return Object.fromEntries(
    Object.entries(overrideNames).flatMap(([name, service]) => {
      const key = `${name}_endpoint_override`
      const url = entry[key]
      if (url == null || url === '') return []
      if (typeof url === 'string' && URL.canParse(url)) return [[service, url]]
      fail([key], 'must be an address')
      return []
    }),
  )
}

/** Converts an entry from a file or from environment variables. Relative paths in it are resolved against `folder`. */
function settingsOf(
  raw: unknown,
  folder: string,
): { settings: Omit<CloudSettings, 'name' | 'notificationsUrl' | 'webssoUrl'> } | { faults: Fault[] } {
  const parsed = Entry.safeParse(raw ?? {})
  if (!parsed.success)
    return { faults: parsed.error.issues.map((it) => ({ path: it.path.map(String), message: it.message })) }
  const entry = parsed.data
  const faults: Fault[] = []
  const fail: Fail = (where, message) => void faults.push({ path: where, message })
  if (entry.profile != null) fail(['profile'], 'is not supported; set auth_url in the entry instead')
  if (entry.cert !== null) fail(['cert'], 'is not supported: client certificates cannot be used')
  if (entry.identity_api_version !== null && !/^3(\.\d+)?$/.test(entry.identity_api_version))
    fail(['identity_api_version'], 'must be 3')
  const side = entry.interface ?? entry.endpoint_type
  const verify = entry.verify ?? (entry.insecure === null ? null : !entry.insecure)
  const settings = {
    authUrl: authUrlOf(entry, fail),
    ...accountOf(entry, fail),
    endpoints: {
      ...(entry.region_name !== null && { region: entry.region_name }),
      ...(side !== null && { interface: side }),
      overrides: overridesOf(entry, fail),
    },
    tls: {
      ...(verify !== null && { verify }),
      ...(entry.cacert !== null && { caFile: path.resolve(folder, entry.cacert) }),
    },
  }
  return faults.length > 0 ? { faults } : { settings }
}

function busOf(url: string | null): Secret | null {
  if (url === null) return null
  try {
    busAddresses(url)
  } catch {
    throw new EngineChoiceError(['OPENSTACK_NOTIFICATIONS_URL must look like amqp://user:password@host:5672/'])
  }
  return new Secret(url)
}

function webssoOf(url: string | null): string | null {
  if (url === null || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return url
  throw new EngineChoiceError(['OPENSTACK_WEBSSO_URL must be an address such as https://cloud.example.org:5000/v3'])
}

/**
 * Reads the settings for a cloud. Throws an `EngineChoiceError` that lists all errors, each with its file, entry and
 * field.
 */
export function readCloudSettings(choice: CloudChoice): CloudSettings {
  const { name, variables, folder, home } = choice
  const aside = { notificationsUrl: busOf(choice.notificationsUrl), webssoUrl: webssoOf(choice.webssoUrl) }
  if (name === null) {
    const read = settingsOf(entryOf(variables), folder)
    if ('faults' in read) throw new EngineChoiceError(read.faults.map((it) => `${variableOf(it.path)} ${it.message}`))
    return { name: new URL(read.settings.authUrl).host, ...read.settings, ...aside }
  }
  const { file, entry } = readCloudEntry(name, { variables, folder, home })
  const read = settingsOf(entry, path.dirname(file))
  if ('faults' in read)
    throw new EngineChoiceError(
      read.faults.map((it) => `${file}: ${['clouds', name, ...it.path].join('.')} ${it.message}`),
    )
  return { name, ...read.settings, ...aside }
}

/** Returns the settings for display, without secrets. */
export function printableSettings({ notificationsUrl, credentials, ...shown }: CloudSettings): object {
  const { method, ...account } = credentials
  const hidden = Object.fromEntries(
    Object.entries(account).map(([name, value]) => [name, value instanceof Secret ? '********' : value]),
  )
  // each server in the URL has its own password
  const bus = notificationsUrl?.reveal().replace(/(\/\/|,)([^:@/,]*):[^@]*@/g, '$1$2:********@') ?? null
  return { ...shown, account: { method, ...hidden }, notificationsUrl: bus }
}

/** Returns all secrets in the settings. */
export function secretsOfSettings({ notificationsUrl, credentials }: CloudSettings): Secret[] {
  const ofBus = [...(notificationsUrl?.reveal() ?? '').matchAll(/(?:\/\/|,)[^:@/,]*:([^@]*)@/g)].map(
    ([, text]) => text!,
  )
  return [
    ...Object.values(credentials).filter((value): value is Secret => value instanceof Secret),
    ...ofBus.filter((text) => text !== '').map((text) => new Secret(text)),
  ]
}
