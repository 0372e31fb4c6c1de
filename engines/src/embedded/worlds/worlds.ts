import type { SimulatedHypervisor } from '../simulated/simulated'
import { busy } from './busy'
import { degraded } from './degraded'
import { demo } from './demo'
import type { World, WorldTools } from './world'

export const worldNames = ['empty', 'demo', 'busy', 'degraded'] as const
export type WorldName = (typeof worldNames)[number]

const worlds: Record<WorldName, World> = { empty: { fill: () => Promise.resolve() }, demo, busy, degraded }

/**
 * Fills a data folder on its first start. A later start with `empty` keeps the existing content. A world other than the
 * recorded one is refused, so that example data is never mixed into a folder in use.
 */
export async function enterWorld(name: WorldName, tools: Omit<WorldTools, 'hypervisor'>): Promise<void> {
  const { records, cloud, log } = tools
  const noted = await records.transaction((tx) => tx.getPrivate<{ name: WorldName }>('world', 'name'))
  const note = () => records.transaction((tx) => tx.putPrivate('world', 'name', { name }))
  if (name === 'empty') {
    if (!noted) await note()
    return
  }
  const { hypervisor } = cloud
  // the configuration also rejects other hypervisors
  if (hypervisor.kind !== 'simulated') throw new Error(`The world "${name}" needs the simulated hypervisor`)
  const all: WorldTools = { ...tools, hypervisor: hypervisor as SimulatedHypervisor }
  if (noted && noted.name !== name) {
    throw new Error(`The data folder holds the world "${noted.name}"; choose it, or another folder for "${name}"`)
  }
  if (!noted) {
    log.info({ world: name }, 'filled the data folder with a world')
    await worlds[name].fill(all)
    await note()
  }
  worlds[name].always?.(all)
}
