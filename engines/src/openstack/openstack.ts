import type { ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import { diskFormats } from '@mainstay/contract/compute/image-rules'
import { instanceActions, type InstanceAction } from '@mainstay/contract/compute/instance-rules'
import { Problem } from '@mainstay/contract/core/problems'
import type { Area } from '../ports/area-ports'
import type { Engine as AnyEngine, Lent } from '../ports/engine'
import { rememberFlavorIds } from './compute/flavors/flavor-ids'
import { watchUploads } from './compute/images/uploads'
import { learnCapabilities } from './compute/learn-capabilities'
import { learnExtensions, usualNetworkService } from './networking/learn-extensions'
import { openNodes } from './compute/stat'
import type { TokenSource } from './client/tokens'
import { trustIn } from './client/trust'
import type { CloudSettings } from './configuration/cloud-settings'
import type { Engine } from './engine'
import { createEngineTools } from './engine-tools'
import { createFeed } from './feed/feed'
import { intervalsAt } from './feed/intervals'
import { areaOfTask, followedTasks } from './followed-tasks'
import { createDirectory } from './identity/directory/directory'
import { actingIn, administeringIn } from './identity/tenant-client'
import { addressForBrowsers, createHandOver } from './identity/hand-over'
import { createIdentity } from './identity/identity'
import type { KnownTimes } from './identity/last-known'
import { createLookups } from './identity/lookups'
import { createProjectDomains } from './identity/project-domains'
import { cloudPorts, readersIn } from './kinds'
import { learnBalancing, unknownBalancerService } from './load-balancing/learn'
import { learnVpn, unknownVpnService } from './vpn/learn'
import { accountTokensOf, cloudOf } from './service-account'

export interface OpenstackOptions {
  settings: CloudSettings
  source: string
  /** What of the cloud is served here. */
  areas: ReadonlySet<Area>
  lent: Pick<Lent, 'sql' | 'records' | 'applyObservations' | 'jobs' | 'log'>
  /** Shorter ones, for tests. */
  knownTimes?: KnownTimes
  /** How many times as quick as usual the cloud is followed, for tests. */
  pace?: number
}

/** What Nova has no call for. */
const neverPossible: readonly InstanceAction[] = ['cancelShutdown']

/** The most that a flavor can say, until the cloud tells what its nodes take; memory in MiB. */
const unboundedInstance = { max_vcpus: 240, max_ram: 1024 * 1024 }

/** The project in which the service account is an administrator. Asks the cloud only where no token is at hand. */
async function projectIdOf(tokens: TokenSource): Promise<string> {
  const { project } = await tokens.token()
  if (project) return project.id
  throw new Problem('not_configured', 'The service account acts in no project of the cloud')
}

/** A cloud of OpenStack as an engine. Nothing of it is asked before `open`: it may be away. */
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
  const tasks = followedTasks.filter((name) => areas.has(areaOfTask(name)))
  const tools = createEngineTools({ reading, readers, tasks, records, applyObservations, jobs, log })
  const trust = trustIn(settings.tls)
  const engine: Engine = { areas, reading, trust, as: actingIn(cloud), ...tools, records, jobs, log }
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
  const nodes = openNodes(reading)
  const capabilities: ComputeCapabilities = {
    instance_actions: instanceActions.filter((action) => !neverPossible.includes(action)),
    image_formats: [...diskFormats],
    // more where the cloud says so
    console_protocols: ['vnc'],
    instance_ha: false,
    // its API changes flavors by a restart only
    live_resize: false,
    instance_placements: false,
    placement_details: false,
    // a task that goes on has nobody's token
    image_import: false,
    // see docs/decisions/0067-recycle-bin.md
    recycle_bin: false,
    ...unboundedInstance,
  }
  const learning = learnCapabilities({ account: caller, nodes, log }, capabilities)
  const networkService = usualNetworkService()
  const extensions = learnExtensions({ account: caller, log }, networkService)
  const balancerService = unknownBalancerService()
  const balancing = learnBalancing({ account: caller, log }, balancerService)
  const vpnService = unknownVpnService()
  const vpn = learnVpn({ account: caller, log }, vpnService)
  let uploads: ReturnType<typeof watchUploads> | null = null

  return {
    source,
    name: 'openstack',
    about: { hypervisor: `OpenStack (${settings.name})`, accelerator: 'none', simulated: false, terraform: true },
    missing: {},
    capabilities: {
      compute: capabilities,
      networking: networkService.capabilities,
      'load-balancing': balancerService.capabilities,
      vpn: vpnService.capabilities,
    },
    feed:
      readers.length > 0 ? createFeed({ reading, readers, notifications, log, intervals: intervalsAt(pace) }) : null,
    ports: {
      identity: createIdentity({
        cloud,
        caller,
        lookups,
        handOver,
        directory: areas.has('identity') ? directory : null,
      }),
      ...cloudPorts(engine, { nodes, networkService, balancerService, vpnService }),
    },
    open() {
      if (areas.has('compute')) {
        learning.start()
        uploads = watchUploads(engine)
      }
      if (areas.has('networking')) extensions.start()
      if (areas.has('load-balancing')) balancing.start()
      if (areas.has('vpn')) vpn.start()
      return Promise.resolve()
    },
    async close() {
      learning.stop()
      extensions.stop()
      balancing.stop()
      vpn.stop()
      uploads?.stop()
      await cloud.close()
    },
  }
}
