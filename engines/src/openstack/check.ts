import { setTimeout as pause } from 'node:timers/promises'
import { Problem, problem } from '@mainstay/contract/core/problems'
import { connect } from 'amqplib'
import * as z from 'zod'
import type { CloudFinding } from '../ports/engines'
import type { Log } from '../ports/records'
import type { ServiceClient, Query, Service } from './client/service-client'
import type { Cloud } from './client/cloud'
import type { Token } from './client/token-shape'
import type { CloudSettings } from './configuration/cloud-settings'
import { busAddresses } from './feed/bus-addresses'
import { LANDING_PATH } from '@mainstay/contract/identity/hand-over'
import { readSignInMethods } from './identity/identity-providers'
import { accountTokensOf, cloudOf } from './service-account'

/** A service that does not respond within this time counts as unreachable. */
const DEADLINE_MS = 8_000
/** Sessions end when the cloud's token expires, so shorter token lifetimes are reported. */
const SHORT_TOKEN_HOURS = 4

/** For each service: the features that do not work without it, and the API versions that features require. */
const services: readonly {
  service: Service
  without: string
  versions?: readonly [version: string, purpose: string][]
}[] = [
  {
    service: 'compute',
    without: 'virtual machines are not available',
    versions: [
      ['2.75', 'listing instances and flavors (Train or later)'],
      ['2.87', 'rescue mode, and keeping the volumes of deleted instances (Ussuri or later)'],
    ],
  },
  { service: 'image', without: 'there are no images to boot from' },
  { service: 'network', without: 'virtual machines have no network' },
  {
    service: 'volume',
    without: 'there are no persistent volumes',
    versions: [['3.42', 'extending volumes that are in use (Pike or later)']],
  },
  { service: 'placement', without: 'free capacity is unknown', versions: [['1.10', 'node metrics']] },
]

/** Lists that the service account must be able to read across all projects. */
const reads: readonly { service: Service; path: string; query?: Query; what: string }[] = [
  {
    service: 'compute',
    path: '/servers',
    query: { all_tenants: '1', limit: 1 },
    what: 'instances in all projects',
  },
  { service: 'volume', path: '/volumes', query: { all_tenants: '1', limit: 1 }, what: 'volumes in all projects' },
  { service: 'network', path: '/networks', query: { limit: 1 }, what: 'networks' },
  {
    service: 'load-balancer',
    path: '/lbaas/loadbalancers',
    query: { limit: 1 },
    what: 'load balancers in all projects',
  },
  { service: 'image', path: '/images', query: { limit: 1 }, what: 'images' },
  { service: 'placement', path: '/resource_providers', what: 'nodes' },
  { service: 'identity', path: '/users', query: { limit: 1 }, what: 'users' },
  { service: 'identity', path: '/projects', query: { limit: 1 }, what: 'projects' },
  { service: 'identity', path: '/role_assignments', query: { 'scope.system': 'all' }, what: 'role assignments' },
]

const good = (what: string): CloudFinding => ({ level: 'good', what, advice: null })
const found = (level: CloudFinding['level'], what: string, advice: string): CloudFinding => ({ level, what, advice })
const giveAdmin = 'Assign it the admin role there; see docs/openstack.md'

/** Converts an error to a finding. Unreachable services have their own level because they may recover. */
function failure(error: unknown, what: string, advice: string): CloudFinding {
  if (!(error instanceof Problem)) throw error
  const reason = `${what}: ${error.message}`
  return error.code === 'engine_unavailable'
    ? found('unreachable', reason, 'Check that the service is running; Mainstay will keep trying')
    : found(error.code === 'not_configured' ? 'wrong' : 'lacking', reason, advice)
}

/** Checks credentials, services, versions, permissions and notifications. After sign-in, the checks run in parallel. */
export async function checkCloudOf(settings: CloudSettings, log: Log): Promise<CloudFinding[]> {
  const cloud = cloudOf(settings, log)
  try {
    const { finding, token } = await signIn(cloud, settings)
    const bus = checkBus(settings)
    if (!token) return [finding, await bus]
    const elsewhere = checkRegion(token, settings)
    if (elsewhere) return [finding, elsewhere, await bus]
    const caller = cloud.callerFor(accountTokensOf(cloud, settings))
    const more = await Promise.all([
      ...services.map((it) => checkService(caller, it)),
      ...reads.map((it) => checkRead(caller, it)),
      checkProviders(caller),
    ])
    return [finding, ...checkToken(token), ...more.flat(), await bus]
  } finally {
    await cloud.close()
  }
}

async function signIn(
  cloud: Cloud,
  { authUrl, credentials, scope }: CloudSettings,
): Promise<{ finding: CloudFinding; token: Token | null }> {
  const late = pause(DEADLINE_MS, null, { ref: false }).then(() => {
    throw problem('core.engine_no_answer', { seconds: DEADLINE_MS / 1000 })
  })
  late.catch(() => undefined)
  try {
    const token = await Promise.race([cloud.authenticate(credentials, scope), late])
    const where = token.project ? ` in the project ${token.project.name}` : ''
    return { finding: good(`The service account ${token.user.name} signs in at ${authUrl}${where}`), token }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'engine_unavailable')
      return { finding: failure(error, `The cloud cannot be reached at ${authUrl}`, ''), token: null }
    const isKnown =
      credentials.method === 'password' &&
      (await cloud.authenticate(credentials, 'unscoped').then(Boolean, () => false))
    const finding = isKnown
      ? found('wrong', 'The service account has no role in its project, or the project does not exist', giveAdmin)
      : found('wrong', `The service account cannot sign in: ${error.message}`, 'Correct its name and password')
    return { finding, token: null }
  }
}

/** Reports a configured region that is missing from the catalogue; null if the region is fine. */
function checkRegion({ catalogue }: Token, { endpoints: { region } }: CloudSettings): CloudFinding | null {
  const regions = [...new Set(catalogue.map((it) => it.region))]
  if (region === undefined || regions.includes(region)) return null
  return found('wrong', `The cloud has no region "${region}"; it has: ${regions.join(', ')}`, 'Correct region_name')
}

function checkToken({ roles, project, expiresAt }: Token): CloudFinding[] {
  const hours = (expiresAt.getTime() - Date.now()) / 3_600_000
  const names = roles.map(({ name }) => name).join(', ') || 'no role'
  const isAdmin = roles.some(({ name }) => name.toLowerCase() === 'admin')
  const rights = !project
    ? found('wrong', 'The service account has no project', 'Set the administrator project in the configuration')
    : isAdmin
      ? good(`The service account is an administrator of its project (${names})`)
      : found(
          'lacking',
          `The service account is not an administrator of its project (${names}), and sees only that project`,
          giveAdmin,
        )
  const life =
    hours < SHORT_TOKEN_HOURS
      ? [
          found(
            'note',
            `Cloud tokens expire after ${Math.round(hours * 60)} minutes, and sessions end when they expire`,
            'To keep users signed in all day, increase expiration in the [token] section of the identity service',
          ),
        ]
      : []
  return [rights, ...life]
}

async function checkService(
  caller: ServiceClient,
  { service, without, versions = [] }: (typeof services)[number],
): Promise<CloudFinding[]> {
  try {
    if (!(await caller.has(service)))
      return [found('lacking', `The cloud has no ${service} service: ${without}`, "Add it to the cloud's catalogue")]
    const missing = await Promise.all(
      versions.map(async ([version, purpose]) =>
        (await caller.offers(service, version)) ? null : { version, purpose },
      ),
    )
    return missing.flatMap((it) =>
      it
        ? [
            found(
              'lacking',
              `The ${service} service does not offer version ${it.version}, which is required for ${it.purpose}`,
              'Upgrade it',
            ),
          ]
        : [],
    )
  } catch (error) {
    return [failure(error, `The ${service} service cannot be used`, "Check its entry in the cloud's catalogue")]
  }
}

async function checkRead(
  caller: ServiceClient,
  { service, path, query = {}, what }: (typeof reads)[number],
): Promise<CloudFinding[]> {
  try {
    // checkService already reports a missing service
    if (!(await caller.has(service))) return []
    await caller.get(service, path, z.unknown(), { query, deadlineMs: DEADLINE_MS })
    return [good(`The service account can read ${what}`)]
  } catch (error) {
    return [
      failure(
        error,
        `The service account cannot read ${what}`,
        `Allow it in the policy of the ${service} service, or assign the admin role`,
      ),
    ]
  }
}

/**
 * Points out the setting for trusted dashboards if identity providers exist, because Keystone does not reveal which
 * dashboards it trusts.
 */
async function checkProviders(caller: ServiceClient): Promise<CloudFinding[]> {
  try {
    const ways = await readSignInMethods(caller, () => Promise.resolve(null), { deadlineMs: DEADLINE_MS })
    if (ways.length === 0) return []
    const names = ways.map(({ name }) => name).join(', ')
    return [
      found(
        'note',
        `Users can sign in through: ${names}`,
        `Set trusted_dashboard = https://CONSOLE${LANDING_PATH} in the [federation] section of the identity service, ` +
          'once for each console address',
      ),
    ]
  } catch (error) {
    // the cloud has no federation
    if (error instanceof Problem && error.code === 'not_found') return []
    const what = 'The service account cannot read identity providers'
    return [failure(error, what, 'Allow it in the policy of the identity service')]
  }
}

async function checkBus({ notificationsUrl }: CloudSettings): Promise<CloudFinding> {
  if (notificationsUrl === null)
    return found(
      'note',
      'No notifications: the cloud is polled every few seconds for changes',
      'Set OPENSTACK_NOTIFICATIONS_URL to see changes immediately',
    )
  let reason = ''
  for (const address of busAddresses(notificationsUrl.reveal())) {
    try {
      const connection = await connect(address, { timeout: DEADLINE_MS })
      await connection.close()
      return good('The message bus accepts connections')
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error)
    }
  }
  return found(
    'unreachable',
    `The message bus cannot be used: ${reason}`,
    'Check OPENSTACK_NOTIFICATIONS_URL; until then, the cloud is polled every few seconds',
  )
}
