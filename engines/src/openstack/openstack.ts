import { problem } from '@mainstay/contract/core/problems'
import { portsOf, type Area } from '../ports/area-ports'
import type { Engine as AnyEngine, EngineServices } from '../ports/engine'
import { cloudServices, readersIn } from './areas'
import { rememberFlavorIds } from './compute/flavors/flavor-ids'
import type { TokenSource } from './client/tokens'
import { trustIn } from './client/trust'
import type { CloudSettings } from './configuration/cloud-settings'
import type { Engine } from './engine'
import { createEngineTools } from './engine-tools'
import { createFeed } from './feed/feed'
import { intervalsAt } from './feed/intervals'
import { tasksIn } from './followed-tasks'
import { accountInProjects } from './identity/account-in-project'
import { createAssigning } from './identity/assigning'
import { createDirectory } from './identity/directory/directory'
import { actingIn, administeringIn } from './identity/tenant-client'
import { addressForBrowsers, createHandOver } from './identity/hand-over'
import { createIdentity } from './identity/identity'
import type { KnownTimes } from './identity/last-known'
import { createLookups } from './identity/lookups'
import { createProjectDomains } from './identity/project-domains'
import { quotaLimits } from './quotas'
import { accountTokensOf, cloudOf } from './service-account'

export interface OpenstackOptions {
  settings: CloudSettings
  source: string
  /** Areas that this engine serves. */
  areas: ReadonlySet<Area>
  lent: Pick<EngineServices, 'sql' | 'records' | 'applyObservations' | 'jobs' | 'log'>
  /** Shorter times for tests. */
  knownTimes?: KnownTimes
  /** Factor by which polling is faster than usual, for tests. */
  pace?: number
}

/** Returns the project that the service account administers. Calls the cloud only if no token is cached. */
async function projectIdOf(tokens: TokenSource): Promise<string> {
  const { project } = await tokens.token()
  if (project) return project.id
  throw problem('core.service_account_without_project')
}

/** Creates the engine for an OpenStack cloud. Does not call the cloud before `open`, because the cloud may be down. */
export function openOpenstack(options: OpenstackOptions): AnyEngine {
  const { settings, source, areas, lent, knownTimes, pace = 1 } = options
  const { sql, records, applyObservations, jobs, log } = lent
  const cloud = cloudOf(settings, log)
  const tokens = accountTokensOf(cloud, settings)
  const caller = cloud.callerFor(tokens)
  const lookups = createLookups({
    caller,
    accountProjectId: () => projectIdOf(tokens),
    records,
    log,
    ...(knownTimes && { times: knownTimes }),
  })
  const reading = {
    caller,
    domainOf: createProjectDomains(caller, lookups.projects),
    isProject: async (id: string) => (await lookups.projects.get(id)) !== null,
    records,
    flavorIds: rememberFlavorIds(),
  }
  const readers = readersIn(areas)
  const tasks = tasksIn(areas)
  const tools = createEngineTools({ reading, readers, tasks, records, applyObservations, jobs, log })
  const trust = trustIn(settings.tls)
  const assigning = createAssigning(caller, () => lookups.adminProjectId())
  const accountIn = accountInProjects({ cloud, tokens, credentials: settings.credentials, assigning })
  const engine: Engine = { areas, reading, trust, as: actingIn(cloud), accountIn, ...tools, records, jobs, log }
  const notifications = settings.notificationsUrl?.reveal() ?? null

  const handOver = createHandOver({
    cloud,
    lookups,
    addressForBrowsers: () => addressForBrowsers(settings, tokens),
  })

  const directory = createDirectory({
    ...{ engine, lookups },
    as: administeringIn(cloud),
    accountId: async () => (await tokens.token()).user.id,
    tell: async (subject) => void (await sql.query("select pg_notify('rights_changed', $1)", [subject])),
  })
  const identity = createIdentity({
    ...{ cloud, caller, lookups, handOver },
    directory: areas.has('identity') ? directory : null,
  })
  const services = { engine, quotaLimits: quotaLimits(engine) }
  const opened = cloudServices.map((one) => ({ area: one.area, ...one.open(services) }))
  const watches = opened.flatMap(({ area, watch }) => (watch && areas.has(area) ? [watch] : []))
  const { ports, capabilities } = portsOf(opened)

  return {
    source,
    name: 'openstack',
    about: { hypervisor: `OpenStack (${settings.name})`, accelerator: 'none', simulated: false, terraform: true },
    missing: {},
    capabilities,
    feed:
      readers.length > 0 ? createFeed({ reading, readers, notifications, log, intervals: intervalsAt(pace) }) : null,
    ports: { ...ports, identity },
    open() {
      for (const watch of watches) watch.start()
      return Promise.resolve()
    },
    async close() {
      for (const watch of watches) watch.stop()
      await cloud.close()
    },
  }
}
