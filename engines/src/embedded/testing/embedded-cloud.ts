import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../ports/records'
import type { ProjectScope } from '../../ports/scope'
import type { HostFacts } from '../hypervisor'
import { openEmbeddedCloud, type EmbeddedCloud, type EmbeddedOptions } from '../embedded'
import type { LimitsChange } from '../limits'
import type { Delays } from '../simulated/options'
import type { Dataplane } from '../../network-model/wanted'
import { openSimulated, type SimulatedHypervisor } from '../simulated/simulated'
import { openMemory, type Memory, type MemoryServer } from './memory'
import { noDelays } from './no-delays'
import { seals } from './seals'

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

export const memberOf = (project_id: string, more: Partial<ProjectScope> = {}): ProjectScope => ({
  kind: 'project',
  user_id: `user-of-${project_id}`,
  user_name: 'ada',
  domain_id: 'default',
  project_id,
  roles: ['project_member'],
  request_id: 'spec',
  ...more,
})
export const operator: ProjectScope = {
  kind: 'system',
  user_id: 'root',
  user_name: 'root',
  domain_id: 'default',
  project_id: 'admin',
  roles: ['admin'],
  request_id: 'spec',
}

type MachinePorts = EmbeddedCloud['ports']

export interface SimulatedCloud extends MachinePorts {
  engine: EmbeddedCloud
  hypervisor: SimulatedHypervisor
  dataplane: Dataplane | null
  memory: Memory
  server: MemoryServer
  folder: string
  close(): Promise<void>
}

/** Opens the complete embedded engine, with simulated machines and in-memory records. */
export async function openSimulatedCloud(
  options: {
    limits?: LimitsChange
    delays?: Partial<Delays>
    folder?: string
    memory?: Memory
    host?: Partial<HostFacts>
    /** Null if this host has no networks. */
    dataplane?: Dataplane | null
    beforeStep?: () => void
    log?: Log
    sampleImage?: EmbeddedOptions['sampleImage']
    fileReader?: EmbeddedOptions['fileReader']
    /** Wraps the machines and disks that the engine uses. */
    wrap?: <Part extends object>(part: Part) => Part
  } = {},
): Promise<SimulatedCloud> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'mainstay-cloud-'))
  const memory = options.memory ?? openMemory()
  const server = memory.serve(options.beforeStep)
  const hypervisor = openSimulated({
    folder: join(folder, 'machines'),
    delays: { ...noDelays, ...options.delays },
    host: options.host ?? {},
  })
  const { wrap = (part) => part } = options
  const dataplane = options.dataplane === undefined ? hypervisor.dataplane : options.dataplane
  const engine = await openEmbeddedCloud({
    records: server.records,
    jobs: server.jobs,
    hypervisor: { ...hypervisor, dataplane, machines: wrap(hypervisor.machines), disks: wrap(hypervisor.disks) },
    folder,
    seals,
    log: options.log ?? silent,
    sampleImage: options.sampleImage ?? null,
    fileReader: options.fileReader ?? null,
    limits: options.limits ?? {},
  })
  await engine.open()
  server.start()
  return {
    engine,
    ...engine.ports,
    hypervisor,
    dataplane,
    memory,
    server,
    folder,
    async close() {
      await server.idle()
      await engine.close()
      server.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
