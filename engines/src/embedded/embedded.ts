import { fairSemaphore } from '../fair-semaphore'
import { portsOf, type Area, type AreaCapabilities, type AreaPorts } from '../ports/area-ports'
import type { Engine as AnyEngine, Seals } from '../ports/engine'
import type { Jobs, Log, Records, RecordsTransaction } from '../ports/records'
import type { MachineArea } from './areas/area'
import { computeOfMachine } from './areas/compute'
import type { SampleImage } from './compute/images/sample'
import { recover } from './compute/instances/recover'
import { thisNodeId } from '../ports/named-id'
import { vrrpProgram } from './dataplane/probe'
import type { Engine } from './engine'
import type { ReaderGuest } from './file-reader'
import { openFiles, type Files } from './files'
import { checkFolderOwner } from './folder-mark'
import { collectGarbage } from './garbage'
import type { Hypervisor } from './hypervisor'
import { withDefaults, type LimitsChange } from './limits'
import { loadBalancingOfMachine } from './areas/load-balancing'
import { networkingOfMachine } from './areas/networking'
import { openCarrier } from './carrier/carrier'
import type { NetworkOwner } from './networking/default-network'
import { answerMetadata } from './networking/metadata'
import { quotaLimits } from './quotas'
import { storageOfMachine } from './areas/storage'
import { vpnOfMachine } from './areas/vpn'

/** Source name for the rows of this host. */
export const EMBEDDED = 'embedded'

export interface EmbeddedOptions {
  records: Records
  jobs: Jobs
  /** Owned by the engine: closing the engine also closes the hypervisor. */
  hypervisor: Hypervisor
  /** Folder for disks, images, seeds and uploads. */
  folder: string
  log: Log
  seals: Seals
  limits?: LimitsChange
  /** Returns the owner of shared objects: the project that system scopes act in. */
  owner?: () => Promise<NetworkOwner>
  /** A guest to publish once as a public image; none if omitted. */
  sampleImage?: SampleImage | null
  /** The guest that reads the files of recovery points; not needed if the hypervisor is simulated. */
  fileReader?: ReaderGuest | null
  /** The areas to serve; all areas if omitted. */
  areas?: ReadonlySet<Area>
}

/** The areas that a cloud on this host can serve besides identity. Register a new area here. */
export const machineAreas = [
  computeOfMachine,
  storageOfMachine,
  networkingOfMachine,
  loadBalancingOfMachine,
  vpnOfMachine,
] as const satisfies readonly { [Name in Area]: MachineArea<Name> }[Area][]
type Served = (typeof machineAreas)[number]['area']

/** The engine, including the parts that worlds write to directly. */
export interface EmbeddedCloud extends AnyEngine {
  ports: Pick<AreaPorts, Served>
  capabilities: Pick<AreaCapabilities, Served & keyof AreaCapabilities>
  readonly hypervisor: Hypervisor
  readonly files: Files
  readonly carrier: Engine['carrier']
}

const aDefaultOwner = { project_id: 'admin', domain_id: 'default' }

/**
 * Opens a cloud on this host. Its job handlers are registered by the time this resolves. `open` then creates the
 * initial rows, repairs what an earlier server left behind and starts following the host. Start processing jobs only
 * after `open`.
 */
export async function openEmbeddedCloud(options: EmbeddedOptions): Promise<EmbeddedCloud> {
  const { records, jobs, hypervisor, folder, log, seals } = options
  const areas = options.areas ?? new Set<Area>(machineAreas.map(({ area }) => area))
  const limits = withDefaults(options.limits)
  const programs = (await hypervisor.dataplane?.probe())?.programs ?? {}
  const hasPairs = vrrpProgram in programs
  const engine: Engine = {
    areas,
    records,
    jobs,
    hypervisor,
    files: openFiles(folder),
    log,
    limits,
    seals,
    fileReader: options.fileReader ?? null,
    carrier: openCarrier({
      ...{ records, log, seals, answerMetadata: answerMetadata(records) },
      ...{ dataplane: hypervisor.dataplane, hasPairs },
    }),
    withPermit: fairSemaphore(limits.copies, limits.copiesOfOne),
  }
  const tools = {
    engine,
    quotaLimits: quotaLimits(engine),
    hasPairs,
    owner: options.owner ?? (async () => aDefaultOwner),
    sampleImage: options.sampleImage ?? null,
  }
  const opened = machineAreas.map((one) => ({ area: one.area, ...one.open(tools) }))
  const served = opened.filter(({ area }) => areas.has(area))
  for (const { jobs: handlers } of served)
    if (handlers) for (const [name, handler] of Object.entries(handlers)) jobs.handle(name, handler)

  const stopFollowing: (() => Promise<void>)[] = []
  const closing = new AbortController()
  let inBackground: Promise<unknown> = Promise.resolve()

  async function makeFirstRows(): Promise<void> {
    const seeds: ((tx: RecordsTransaction) => Promise<void>)[] = []
    for (const { seed } of served) if (seed) seeds.push(await seed())
    await records.transaction(async (tx) => {
      for (const make of seeds) await make(tx)
    })
  }

  return {
    source: EMBEDDED,
    name: EMBEDDED,
    nodes: [thisNodeId],
    about: {
      hypervisor: `${hypervisor.host.hypervisor} ${hypervisor.host.version}`,
      accelerator: hypervisor.host.accelerator,
      simulated: hypervisor.kind === 'simulated',
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
    ...portsOf(opened),
    async open() {
      await checkFolderOwner(records, engine.files, folder)
      await makeFirstRows()
      for (const { prepare } of served) await prepare?.()
      for (const { follow } of served) if (follow) stopFollowing.push(follow())
      await recover(engine)
      await collectGarbage(engine)
      inBackground = Promise.all(served.flatMap((one) => one.inBackground?.(closing.signal) ?? []))
    },
    async close() {
      closing.abort()
      await inBackground
      for (const stop of stopFollowing) await stop()
      await engine.carrier.close()
      await hypervisor.close()
    },
  }
}
