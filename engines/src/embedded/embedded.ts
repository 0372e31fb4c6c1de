import { diskFormats } from '@mainstay/contract/compute/image-rules'
import { instanceActions } from '@mainstay/contract/compute/instance-rules'
import type { ComputePort } from '../ports/compute'
import type { Jobs, Log, Records } from '../ports/records'
import { openFairTurnstile } from '../turnstile'
import { capacityOf } from './compute/capacity'
import { openFigures } from './compute/figures'
import { ensureDefaultFlavors, flavorCommands } from './compute/flavors'
import { claimFolder } from './compute/folder-mark'
import { collectGarbage } from './compute/garbage'
import { findDigests } from './compute/image-digests'
import { importJob, openImports } from './compute/image-import'
import { imageCommands } from './compute/images'
import { instanceCommands, instanceJobs } from './compute/instances'
import { neverDone } from './compute/never'
import { quotasOf } from './compute/quotas'
import { recover } from './compute/recover'
import { placementCommands } from './compute/placements'
import { serverGroupCommands } from './compute/server-groups'
import { sshKeyCommands } from './compute/ssh-keys'
import { statOf } from './compute/stat'
import { noteThisNode } from './compute/this-node'
import { volumeJobs } from './compute/volume-jobs'
import { volumeCommands } from './compute/volumes'
import { watch } from './compute/watch'
import type { Engine } from './engine'
import { openFiles, type Files } from './files'
import type { Hypervisor } from './hypervisor'
import { withDefaults, type LimitsChange } from './limits'
import { ensureDefaultNetwork, type NetworkOwner } from './networking/default-network'

export interface EmbeddedOptions {
  records: Records
  jobs: Jobs
  /** Belongs to the engine from now on; `close` closes it. */
  hypervisor: Hypervisor
  /** Where disks, images, seeds and uploads are kept. */
  folder: string
  log: Log
  limits?: LimitsChange
  /** To whom what is everybody's belongs: the project of system scopes. */
  owner?: NetworkOwner
}

/** The port, with what worlds write to directly. */
export interface EmbeddedCompute extends ComputePort {
  readonly hypervisor: Hypervisor
  readonly files: Files
}

/**
 * A cloud on this machine. Its handlers of jobs are known when this answers; `open` then makes what every data folder
 * has, puts right what an earlier server left, and watches. Begin to take jobs after `open`.
 */
export async function openEmbeddedCompute(options: EmbeddedOptions): Promise<EmbeddedCompute> {
  const { records, jobs, hypervisor, folder, log } = options
  const limits = withDefaults(options.limits)
  const engine: Engine = {
    records,
    jobs,
    hypervisor,
    files: openFiles(folder),
    log,
    limits,
    inTurn: openFairTurnstile(limits.copies, limits.copiesOfOne),
  }
  const figures = openFigures(engine)
  const imports = openImports()
  const handlers = {
    ...instanceJobs(engine),
    ...volumeJobs(engine),
    'compute.image.import': importJob(engine, imports),
  }
  for (const [name, handler] of Object.entries(handlers)) jobs.handle(name, handler)

  const { host, kind } = hypervisor
  const capacity = capacityOf(engine)
  let stopWatching: (() => Promise<void>) | null = null
  const closing = new AbortController()
  let finding: Promise<void> = Promise.resolve()

  return {
    name: 'embedded',
    view: { kind: 'record' },
    capabilities: {
      instance_actions: instanceActions.filter((action) => !neverDone.includes(action)),
      image_formats: [...diskFormats],
      console_protocols: ['vnc', 'serial'],
      instance_ha: true,
      live_resize: true,
      instance_placements: true,
      placement_details: true,
      max_vcpus: capacity.vcpusOfOne,
      max_ram: capacity.ramMiB,
    },
    about: {
      hypervisor: `${host.hypervisor} ${host.version}`,
      accelerator: host.accelerator,
      simulated: kind === 'simulated',
    },
    problems() {
      return [hypervisor.guestNetwork(), hypervisor.imageWorker()].flatMap(({ problem }) => problem ?? [])
    },
    hypervisor,
    files: engine.files,
    instances: instanceCommands(engine, figures),
    images: imageCommands(engine, imports),
    flavors: flavorCommands(engine),
    sshKeys: sshKeyCommands(engine),
    serverGroups: serverGroupCommands(engine),
    placements: placementCommands(engine),
    volumes: volumeCommands(engine),
    quotas: (scope, projectId) => quotasOf(engine, scope, projectId),
    stat: (scope) => statOf(engine, scope),
    async open() {
      await claimFolder(records, engine.files, folder)
      await records.transaction(async (tx) => {
        await ensureDefaultFlavors(tx)
        await noteThisNode(engine, tx)
        await ensureDefaultNetwork(tx, options.owner ?? { project_id: 'admin', domain_id: 'default' })
      })
      stopWatching = watch(engine, figures)
      await recover(engine)
      await collectGarbage(engine)
      finding = findDigests(engine, closing.signal).catch((error: unknown) =>
        log.warn({ error }, 'the digests of images could not be found out'),
      )
    },
    async close() {
      closing.abort()
      await finding
      await stopWatching?.()
      await hypervisor.close()
    },
  }
}
