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

/** What takes longer is taken for unreachable, milliseconds. */
const DEADLINE_MS = 8_000
/** Sessions end with the cloud's token; a shorter one is worth a word. */
const SHORT_TOKEN_HOURS = 4

/** Services, what the console cannot do without them, and versions with what needs them. */
const services: readonly {
  service: Service
  without: string
  versions?: readonly [version: string, purpose: string][]
}[] = [
  {
    service: 'compute',
    without: 'there are no instances',
    versions: [
      ['2.75', 'lists of instances and flavors (Train or later)'],
      ['2.87', 'rescuing, and keeping volumes of instances that are deleted (Ussuri or later)'],
    ],
  },
  { service: 'image', without: 'there is nothing to boot from' },
  { service: 'network', without: 'instances reach nothing' },
  {
    service: 'volume',
    without: 'there are no disks that outlive an instance',
    versions: [['3.42', 'extending volumes that are in use (Pike or later)']],
  },
  { service: 'placement', without: 'nobody knows how much room there is', versions: [['1.10', 'figures of nodes']] },
]

/** What the service account must be able to read of every project. */
const reads: readonly { service: Service; path: string; query?: Query; what: string }[] = [
  {
    service: 'compute',
    path: '/servers',
    query: { all_tenants: '1', limit: 1 },
    what: 'the instances of all projects',
  },
  { service: 'volume', path: '/volumes', query: { all_tenants: '1', limit: 1 }, what: 'the volumes of all projects' },
  { service: 'network', path: '/networks', query: { limit: 1 }, what: 'networks' },
  {
    service: 'load-balancer',
    path: '/lbaas/loadbalancers',
    query: { limit: 1 },
    what: 'the load balancers of all projects',
  },
  { service: 'image', path: '/images', query: { limit: 1 }, what: 'images' },
  { service: 'placement', path: '/resource_providers', what: 'nodes' },
  { service: 'identity', path: '/users', query: { limit: 1 }, what: 'users' },
  { service: 'identity', path: '/projects', query: { limit: 1 }, what: 'projects' },
  { service: 'identity', path: '/role_assignments', query: { 'scope.system': 'all' }, what: 'who has which role' },
]

const good = (what: string): CloudFinding => ({ level: 'good', what, advice: null })
const found = (level: CloudFinding['level'], what: string, advice: string): CloudFinding => ({ level, what, advice })
const giveAdmin = 'Give it the role admin there, as docs/openstack.md says'

/** A refusal or failure as a finding: what cannot be reached may be there later. */
function failure(error: unknown, what: string, advice: string): CloudFinding {
  if (!(error instanceof Problem)) throw error
  const reason = `${what}: ${error.message}`
  return error.code === 'engine_unavailable'
    ? found('unreachable', reason, 'Look whether the service runs; Mainstay goes on trying')
    : found(error.code === 'not_configured' ? 'wrong' : 'lacking', reason, advice)
}

/** Looks at credentials, services, versions, rights and notifications. What is reached is looked at all at once. */
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
      : found('wrong', `The service account cannot sign in: ${error.message}`, 'Put its name and password right')
    return { finding, token: null }
  }
}

/** A region that is nowhere in the catalogue; null where all is well. */
function checkRegion({ catalogue }: Token, { endpoints: { region } }: CloudSettings): CloudFinding | null {
  const regions = [...new Set(catalogue.map((it) => it.region))]
  if (region === undefined || regions.includes(region)) return null
  return found('wrong', `The cloud has no region "${region}"; it has: ${regions.join(', ')}`, 'Put region_name right')
}

function checkToken({ roles, project, expiresAt }: Token): CloudFinding[] {
  const hours = (expiresAt.getTime() - Date.now()) / 3_600_000
  const names = roles.map(({ name }) => name).join(', ') || 'no role'
  const isAdmin = roles.some(({ name }) => name.toLowerCase() === 'admin')
  const rights = !project
    ? found(
        'wrong',
        'The service account acts in no project',
        'Name the project of administrators in the configuration',
      )
    : isAdmin
      ? good(`It is an administrator there (${names})`)
      : found('lacking', `It is no administrator there (${names}), and sees its own project alone`, giveAdmin)
  const life =
    hours < SHORT_TOKEN_HOURS
      ? [
          found(
            'note',
            `The cloud’s tokens live ${Math.round(hours * 60)} minutes, and sessions end with them`,
            'Raise expiration in the section [token] of the identity service to keep people signed in for a working day',
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
      return [
        found('lacking', `The cloud has no ${service} service: ${without}`, 'Add it to the catalogue of the cloud'),
      ]
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
              `The ${service} service does not offer version ${it.version}, for ${it.purpose}`,
              'Upgrade it',
            ),
          ]
        : [],
    )
  } catch (error) {
    return [failure(error, `The ${service} service cannot be used`, 'Look at its entry in the catalogue of the cloud')]
  }
}

async function checkRead(
  caller: ServiceClient,
  { service, path, query = {}, what }: (typeof reads)[number],
): Promise<CloudFinding[]> {
  try {
    // that it is not there is said of the service itself
    if (!(await caller.has(service))) return []
    await caller.get(service, path, z.unknown(), { query, deadlineMs: DEADLINE_MS })
    return [good(`It reads ${what}`)]
  } catch (error) {
    return [
      failure(error, `It cannot read ${what}`, `Allow it by the ${service} service’s policy, or by the role admin`),
    ]
  }
}

/** Whether the cloud trusts our address it tells nobody; that there is something to trust it for is seen. */
async function checkProviders(caller: ServiceClient): Promise<CloudFinding[]> {
  try {
    const ways = await readSignInMethods(caller, () => Promise.resolve(null), { deadlineMs: DEADLINE_MS })
    if (ways.length === 0) return []
    const names = ways.map(({ name }) => name).join(', ')
    return [
      found(
        'note',
        `People may sign in through: ${names}`,
        `Let the identity service trust the console: trusted_dashboard = https://CONSOLE${LANDING_PATH} in its section ` +
          '[federation], once for each address at which people open the console',
      ),
    ]
  } catch (error) {
    // a cloud without any
    if (error instanceof Problem && error.code === 'not_found') return []
    return [failure(error, 'It cannot read identity providers', 'Allow it by the identity service’s policy')]
  }
}

async function checkBus({ notificationsUrl }: CloudSettings): Promise<CloudFinding> {
  if (notificationsUrl === null)
    return found(
      'note',
      'No notifications: the cloud is asked every few seconds for what changed',
      'Set OPENSTACK_NOTIFICATIONS_URL to see changes at once',
    )
  let reason = ''
  for (const address of busAddresses(notificationsUrl.reveal())) {
    try {
      const connection = await connect(address, { timeout: DEADLINE_MS })
      await connection.close()
      return good('The message bus takes the connection')
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error)
    }
  }
  return found(
    'unreachable',
    `The message bus cannot be used: ${reason}`,
    'Look at OPENSTACK_NOTIFICATIONS_URL; until then the cloud is asked every few seconds',
  )
}
