import type { Outage } from '@mainstay/contract/core/outage'
import type { ComposedEngine } from '@mainstay/engines/ports/engine'
import type { Log } from '@mainstay/engines/ports/records'
import type { Store } from '../store/store'
import { createEngineStates, type EngineStates } from './engine-states'
import { followFeed, waitsAt } from './follow-feed'
import type { Inventory } from './types'

/**
 * Keeps the index up to date with every engine that does not write to it directly, and reports the state of each feed.
 */
export async function followEngines(tools: {
  store: Store
  inventory: Pick<Inventory, 'from'>
  engines: readonly Pick<ComposedEngine, 'source' | 'area' | 'kinds' | 'name' | 'feed' | 'problems'>[]
  /** Name of this server, shown to operators. */
  holder: string
  log: Log
  /** Speed-up factor for tests. */
  pace?: number
  onOutage(outage: Outage | null): void
}): Promise<{ engineStates: EngineStates; close(): Promise<void> }> {
  const { store, inventory, engines, holder, log, pace = 1, onOutage } = tools
  const engineStates = await createEngineStates({
    store,
    log,
    pace,
    engines: engines.map((engine) => ({
      name: engine.area,
      engine: engine.name,
      view: engine.feed ? ('feed' as const) : ('record' as const),
      listed: new Set(engine.kinds.flatMap((it) => (it.view === 'feed' ? it.part : []))),
      problems: () => engine.problems?.() ?? [],
    })),
  })
  onOutage(engineStates.outage())
  engineStates.onOutage(onOutage)
  const shared = { store, states: engineStates, holder, log, waits: waitsAt(pace) }
  const stops = engines.flatMap(({ source, area: name, feed, kinds }) =>
    feed ? followFeed({ ...shared, name, feed, kinds, inventory: inventory.from(source) }) : [],
  )
  return {
    engineStates,
    async close() {
      await Promise.all(stops.map((stop) => stop()))
      engineStates.close()
    },
  }
}
