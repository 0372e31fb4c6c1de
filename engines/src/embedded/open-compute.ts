import { join } from 'node:path'
import type { ComputeMissing } from '../ports/compute'
import type { IdentityPort } from '../ports/identity'
import type { Jobs, Log, Records } from '../ports/records'
import { openEmbeddedCompute, type EmbeddedCompute } from './embedded'
import type { Hypervisor, HypervisorMissing } from './hypervisor'
import type { LimitsChange } from './limits'
import { openQemu } from './qemu/qemu'
import { openSimulated } from './simulated/simulated'
import { enterWorld, type WorldName } from './worlds/worlds'

export interface OpenComputeOptions {
  records: Records
  jobs: Jobs
  identity: IdentityPort
  log: Log
  /** Where machines, disks and images are kept. */
  folder: string
  hypervisor: 'qemu' | 'simulated'
  world: WorldName
  limits?: LimitsChange
}

/** The embedded engine on the hypervisor that was chosen; what to install where that one cannot run. */
export async function openCompute(options: OpenComputeOptions): Promise<EmbeddedCompute | ComputeMissing> {
  const { records, jobs, identity, log, folder, world, limits = {} } = options
  const hypervisor = await openHypervisor(options)
  if ('missing' in hypervisor) return { missing: true, advice: hypervisor.advice }
  const owner = { project_id: await identity.adminProjectId(), domain_id: 'default' }
  const compute = await openEmbeddedCompute({ records, jobs, hypervisor, folder, log, limits, owner })
  return {
    ...compute,
    async open() {
      await compute.open()
      await enterWorld(world, { records, identity, compute, log })
    },
  }
}

async function openHypervisor({
  hypervisor,
  folder,
  log,
}: OpenComputeOptions): Promise<Hypervisor | HypervisorMissing> {
  if (hypervisor === 'simulated') return openSimulated({ folder: join(folder, 'simulated') })
  return openQemu({ folder, log })
}
