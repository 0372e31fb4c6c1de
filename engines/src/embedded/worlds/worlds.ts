import type { SimulatedHypervisor } from '../simulated/simulated'
import { busy } from './busy'
import { degraded } from './degraded'
import { demo } from './demo'
import type { World, WorldTools } from './world'

export const worldNames = ['empty', 'demo', 'busy', 'degraded'] as const
export type WorldName = (typeof worldNames)[number]

const worlds: Record<WorldName, World> = { empty: { fill: () => Promise.resolve() }, demo, busy, degraded }

/**
 * Fills a data folder, once: later starts find what has become of it. A folder keeps the world that it was filled
 * with; another one asked for later is refused by name rather than mixed in.
 */
export async function enterWorld(name: WorldName, tools: Omit<WorldTools, 'hypervisor'>): Promise<void> {
  if (name === 'empty') return
  const { records, cloud, log } = tools
  const { hypervisor } = cloud
  if (hypervisor.kind !== 'simulated') {
    throw new Error(
      `The world "${name}" consists of simulated machines; set MAINSTAY_HYPERVISOR=simulated, or MAINSTAY_WORLD=empty`,
    )
  }
  const all: WorldTools = { ...tools, hypervisor: hypervisor as SimulatedHypervisor }
  const noted = await records.transaction((tx) => tx.getPrivate<{ name: WorldName }>('world', 'name'))
  if (noted && noted.name !== name) {
    throw new Error(`The data folder holds the world "${noted.name}"; choose it, or another folder for "${name}"`)
  }
  if (!noted) {
    log.info({ world: name }, 'the data folder is filled with a world')
    await worlds[name].fill(all)
    await records.transaction((tx) => tx.putPrivate('world', 'name', { name }))
  }
  worlds[name].always?.(all)
}
