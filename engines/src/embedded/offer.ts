import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { areaOfKind } from '../ports/area-ports'
import type { Engine, EngineOffer, EngineServices } from '../ports/engine'
import type { EngineSettings } from '../ports/engines'
import type { MachineArea } from './areas/area'
import { EMBEDDED, machineAreas, openEmbeddedCloud } from './embedded'
import { openEmbeddedIdentity } from './identity/identity'
import { openQemu } from './qemu/qemu'
import { openSimulated } from './simulated/simulated'
import { enterWorld } from './worlds/worlds'

/** The engine for this host: users and projects in the server's database, and local machines, disks and networks. */
export const embeddedOffer = (settings: EngineSettings): EngineOffer => ({
  source: EMBEDDED,
  areas: ['identity', ...machineAreas.map(({ area }) => area)],
  isOfThisMachine: true,
  needs: Object.fromEntries(machineAreas.map(({ area, needs = [] }: MachineArea) => [area, needs])),
  kinds: [...areaOfKind].map(([kind, area]) => ({ kind, area, view: 'record' })),
  async open(areas, lent) {
    const { sql, records } = lent
    const { adminPassword, passwordCost: cost } = settings
    if (!areas.has('identity')) return openMachines(settings, areas, lent)
    const directory = await openEmbeddedIdentity({
      ...{ sql, records, adminPassword, isSourceOf: (kind) => areas.has(areaOfKind.get(kind)!) },
      ...(cost && { cost }),
    })
    const { identity, firstStart } = directory
    if (firstStart) settings.onFirstStart(firstStart)
    const machines = await openMachines(settings, areas, lent)
    return {
      ...machines,
      ports: { ...machines.ports, identity },
      async open() {
        await directory.open()
        await machines.open()
      },
    }
  },
})

const nothing: Engine = {
  source: EMBEDDED,
  name: EMBEDDED,
  about: { hypervisor: 'none', accelerator: 'none', simulated: false },
  ports: {},
  missing: {},
  capabilities: {},
  feed: null,
  open: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

/** Opens the requested areas for machines, volumes and networks, if this host has a hypervisor. */
async function openMachines(
  settings: EngineSettings,
  areas: Parameters<EngineOffer['open']>[0],
  { records, jobs, log, seals, identity }: EngineServices,
): Promise<Engine> {
  if (!machineAreas.some(({ area }) => areas.has(area))) return nothing
  const { folder, delays = {}, sampleImage = null, fileReader = null } = settings
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const hypervisor =
    settings.hypervisor === 'simulated'
      ? openSimulated({ folder: path.join(folder, 'simulated'), delays })
      : await openQemu({ folder, log })
  if ('missing' in hypervisor) {
    const { advice } = hypervisor
    return { ...nothing, missing: Object.fromEntries(machineAreas.map(({ area }) => [area, advice])) }
  }
  const owner = async () => ({ project_id: await identity().adminProjectId(), domain_id: 'default' })
  const cloud = await openEmbeddedCloud({
    ...{ records, jobs, hypervisor, folder, log, seals, owner, areas, sampleImage, fileReader },
  })
  return {
    ...cloud,
    async open() {
      await cloud.open()
      const { adminPassword: password, onFirstStart: introduce } = settings
      await enterWorld(settings.world, { records, identity: identity(), cloud, log, password, introduce })
    },
  }
}
