import type { ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import type { LoadBalancingCapabilities } from '@mainstay/contract/load-balancing/load-balancing-service'
import type { VpnCapabilities } from '@mainstay/contract/vpn/vpn-capabilities'
import type { NetworkingCapabilities } from '@mainstay/contract/networking/network-service'
import { diskFormats } from '@mainstay/contract/compute/image-rules'
import { instanceActions } from '@mainstay/contract/compute/instance-rules'
import { fairSemaphore } from '../fair-semaphore'
import type { Area, AreaPorts } from '../ports/area-ports'
import type { Engine as AnyEngine, Seals } from '../ports/engine'
import type { JobHandler, Jobs, Log, Records } from '../ports/records'
import { capacityOf } from './compute/capacity'
import { openInstanceMetrics } from './compute/instances/metrics'
import { ensureDefaultFlavors, flavorCommands } from './compute/flavors'
import { claimFolder } from './folder-mark'
import { collectGarbage } from './garbage'
import { findDigests } from './compute/images/digests'
import { offerTryOutGuest, type TryOutGuest } from './compute/images/try-out'
import { importJob, openImports } from './compute/images/import'
import { imageCommands } from './compute/images/commands'
import { instanceCommands, instanceJobs } from './compute/instances/commands'
import { interfaceCommands, interfaceJobs } from './compute/instances/interfaces'
import { unsupportedActions } from './compute/instances/unsupported'
import { recover } from './compute/instances/recover'
import { placementCommands } from './compute/placements/commands'
import { serverGroupCommands } from './compute/server-groups'
import { sshKeyCommands } from './compute/ssh-keys'
import { statOf } from './compute/stat'
import { noteThisNode, thisNodeId } from './compute/this-node'
import { watch } from './compute/instances/watch'
import type { Engine } from './engine'
import { openFiles, type Files } from './files'
import type { Hypervisor } from './hypervisor'
import { withDefaults, type LimitsChange } from './limits'
import { loadBalancingCapabilities, loadBalancingCommands } from './load-balancing/commands'
import { pairProgram } from './dataplane/probe'
import { ensureBalancerFlavors } from './load-balancing/flavors'
import { followHealth } from './load-balancing/follow-health'
import { loadBalancingJobs } from './load-balancing/jobs'
import { vpnCapabilities, vpnCommands } from './vpn/commands'
import { followCards } from './networking/follow-cards'
import { followTunnels } from './vpn/follow-tunnels'
import { vpnJobs } from './vpn/jobs'
import { ensureDefaultNetwork, hasDefaultNetwork, type NetworkOwner } from './networking/default-network'
import { ensureExternalNetwork, needsExternalNetwork } from './networking/external-network'
import { adoptNames, adoptPorts } from './networking/adopt-ports'
import { ensureDefaultGroups } from './networking/default-groups'
import { openCarrier } from './carrier/carrier'
import { networkingCommands, networkingJobs } from './networking/commands'
import { answerMetadata } from './networking/metadata'
import { quotaLimits, quotasOf } from './quotas'
import { recycleBinCommands } from './storage/recycle-bin/commands'
import { recycleBinJobs } from './storage/recycle-bin/jobs'
import { recycleInstance } from './storage/recycle-bin/recycle'
import { storageStatOf } from './storage/stat'
import { copyJobs } from './storage/volumes/copy-jobs'
import { volumeJobs } from './storage/volumes/jobs'
import { volumeCommands } from './storage/volumes/commands'
import { noteStoragePolicy } from './rows/volumes'

/** The source of this machine's rows. */
export const EMBEDDED = 'embedded'

export interface EmbeddedOptions {
  records: Records
  jobs: Jobs
  /** Belongs to the engine from now on; `close` closes it. */
  hypervisor: Hypervisor
  /** Where disks, images, seeds and uploads are kept. */
  folder: string
  log: Log
  seals: Seals
  limits?: LimitsChange
  /** To whom what is everybody's belongs: the project of system scopes. */
  owner?: () => Promise<NetworkOwner>
  /** A guest that is made a public image, once; none where left out. */
  tryOutGuest?: TryOutGuest | null
  /** What this machine serves; everything where left out. */
  areas?: ReadonlySet<Area>
}

/** What a cloud on this machine serves beside users and projects. */
export const machineAreas = [
  'compute',
  'storage',
  'networking',
  'load-balancing',
  'vpn',
] as const satisfies readonly Area[]

/** The engine, with what worlds write to directly. */
export interface EmbeddedCloud extends AnyEngine {
  ports: Pick<AreaPorts, (typeof machineAreas)[number]>
  capabilities: {
    compute: ComputeCapabilities
    networking: NetworkingCapabilities
    'load-balancing': LoadBalancingCapabilities
    vpn: VpnCapabilities
  }
  readonly hypervisor: Hypervisor
  readonly files: Files
  readonly carrier: Engine['carrier']
}

/** Who makes what the engine itself makes. */
const byTheServer = {
  ...({ kind: 'system', user_id: 'server', user_name: 'server', roles: ['system_admin'] } as const),
  request_id: 'first-start',
}

const aDefaultOwner = { project_id: 'admin', domain_id: 'default' }

/**
 * A cloud on this machine. Its handlers of jobs are known when this answers; `open` then makes what every data folder
 * has, puts right what an earlier server left, and watches. Begin to take jobs after `open`.
 */
export async function openEmbeddedCloud(options: EmbeddedOptions): Promise<EmbeddedCloud> {
  const { records, jobs, hypervisor, folder, log, seals, areas = new Set(machineAreas), owner } = options
  const limits = withDefaults(options.limits)
  const programs = (await hypervisor.dataplane?.probe())?.programs ?? {}
  const hasPairs = pairProgram in programs
  const engine: Engine = {
    areas,
    records,
    jobs,
    hypervisor,
    files: openFiles(folder),
    log,
    limits,
    seals,
    carrier: openCarrier({
      ...{ records, log, seals, answerMetadata: answerMetadata(records) },
      ...{ dataplane: hypervisor.dataplane, hasPairs },
    }),
    withPermit: fairSemaphore(limits.copies, limits.copiesOfOne),
  }
  const metrics = openInstanceMetrics(engine)
  const imports = openImports()
  const limitsPort = quotaLimits(engine)
  const handlers: Record<string, JobHandler> = {
    ...(areas.has('compute') && { ...instanceJobs(engine), 'compute.image.import': importJob(engine, imports) }),
    ...(areas.has('storage') && { ...volumeJobs(engine), ...copyJobs(engine), ...recycleBinJobs(engine) }),
    ...(areas.has('networking') && { ...networkingJobs(engine), ...interfaceJobs(engine) }),
    ...(areas.has('load-balancing') && loadBalancingJobs(engine)),
    ...(areas.has('vpn') && vpnJobs(engine)),
  }
  for (const [name, handler] of Object.entries(handlers)) jobs.handle(name, handler)

  const { host, kind } = hypervisor
  const capacity = capacityOf(engine)
  let stopWatching: (() => Promise<void>) | null = null
  const stopFollowing: (() => Promise<void>)[] = []
  const closing = new AbortController()
  let inBackground: Promise<unknown> = Promise.resolve()
  const images = imageCommands(engine, imports)

  async function offerGuest(guest: TryOutGuest): Promise<void> {
    const scope = { ...byTheServer, ...((await owner?.()) ?? aDefaultOwner) }
    await offerTryOutGuest(engine, images, { guest, owner: scope, signal: closing.signal })
  }

  async function makeDefaults(): Promise<void> {
    const isToOwn =
      areas.has('networking') &&
      (await records.transaction(async (tx) => !(await hasDefaultNetwork(tx)) || needsExternalNetwork(tx)))
    const owns = isToOwn ? ((await owner?.()) ?? aDefaultOwner) : aDefaultOwner
    await records.transaction(async (tx) => {
      if (areas.has('compute')) {
        await ensureDefaultFlavors(tx)
        await noteThisNode(engine, tx)
      }
      if (areas.has('storage')) await noteStoragePolicy(tx)
      if (areas.has('networking')) {
        await ensureDefaultNetwork(tx, owns)
        await ensureExternalNetwork(tx, owns)
      }
      if (areas.has('load-balancing')) await ensureBalancerFlavors(tx, hasPairs)
    })
    if (!areas.has('networking')) return
    await ensureDefaultGroups(records)
    await adoptPorts(engine)
    await adoptNames(engine)
  }

  return {
    source: EMBEDDED,
    name: EMBEDDED,
    nodes: [thisNodeId],
    about: {
      hypervisor: `${host.hypervisor} ${host.version}`,
      accelerator: host.accelerator,
      simulated: kind === 'simulated',
    },
    problems() {
      const { guestNetwork, imageWorker, acceleration } = hypervisor
      return [guestNetwork(), imageWorker(), acceleration()].flatMap(({ problem }) => problem ?? [])
    },
    hypervisor,
    files: engine.files,
    carrier: engine.carrier,
    missing: {},
    feed: null,
    capabilities: {
      compute: {
        instance_actions: instanceActions.filter((action) => !unsupportedActions.includes(action)),
        image_formats: [...diskFormats],
        console_protocols: kind === 'qemu' ? ['vnc', 'serial'] : [],
        instance_ha: true,
        live_resize: true,
        instance_placements: true,
        placement_details: true,
        image_import: true,
        recycle_bin: areas.has('storage'),
        max_vcpus: capacity.vcpusOfOne,
        max_ram: capacity.ramMiB,
      },
      networking: {
        ...{ networks: true, external_networks: true, vlan_networks: true, routers: true, floating_ips: true },
        ...{ security_groups: true, spoofing_protection: true, published_ports: true },
        ...{ reach_probe: kind === 'qemu', direct_vnics: false },
      },
      'load-balancing': loadBalancingCapabilities(hasPairs),
      vpn: vpnCapabilities,
    },
    ports: {
      compute: {
        instances: {
          ...instanceCommands(engine, metrics),
          recycle: (scope, id, chosen, how) => recycleInstance(engine, scope, id, { chosen, ...how }),
        },
        images,
        flavors: flavorCommands(engine),
        sshKeys: sshKeyCommands(engine),
        serverGroups: serverGroupCommands(engine),
        placements: placementCommands(engine),
        quotas: (scope, projectId) => quotasOf(engine, 'compute', scope, projectId),
        quotaLimits: limitsPort,
        stat: (scope) => statOf(engine, scope),
      },
      storage: {
        volumes: volumeCommands(engine),
        recycleBin: recycleBinCommands(engine),
        quotas: (scope, projectId) => quotasOf(engine, 'storage', scope, projectId),
        quotaLimits: limitsPort,
        stat: (scope) => storageStatOf(engine, scope),
      },
      networking: { ...networkingCommands(engine), interfaces: interfaceCommands(engine) },
      'load-balancing': loadBalancingCommands(engine),
      vpn: vpnCommands(engine),
    },
    async open() {
      await claimFolder(records, engine.files, folder)
      await makeDefaults()
      if (areas.has('networking')) await engine.carrier.open()
      if (areas.has('networking') && areas.has('compute')) stopFollowing.push(followCards(engine))
      if (areas.has('load-balancing')) stopFollowing.push(followHealth(engine))
      if (areas.has('vpn')) stopFollowing.push(followTunnels(engine))
      if (areas.has('compute')) stopWatching = watch(engine, metrics)
      await recover(engine)
      await collectGarbage(engine)
      if (!areas.has('compute')) return
      inBackground = Promise.all([
        findDigests(engine, closing.signal).catch((error: unknown) =>
          log.warn({ error }, 'the digests of images could not be found out'),
        ),
        options.tryOutGuest &&
          offerGuest(options.tryOutGuest).catch((error: unknown) =>
            log.warn({ error }, 'the try-out guest could not be made an image'),
          ),
      ])
    },
    async close() {
      closing.abort()
      await inBackground
      await stopWatching?.()
      for (const stop of stopFollowing) await stop()
      await engine.carrier.close()
      await hypervisor.close()
    },
  }
}
