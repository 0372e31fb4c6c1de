import type { Outage } from '@mainstay/contract/core/outage'
import type { ComposedEngine } from '@mainstay/engines/ports/engine'
import type { Log } from '@mainstay/engines/ports/records'
import type { Store } from '../store/store'
import { createEngineStates, type EngineStates } from './engine-states'
import { followFeed } from './follow-feed'
import type { Inventory } from './types'

/** Lets the index follow each engine that it is not the record of, and tells how that goes. */
export async function followEngines(tools: {
  store: Store
  inventory: Pick<Inventory, 'from'>
  engines: readonly Pick<ComposedEngine, 'source' | 'area' | 'kinds' | 'name' | 'feed' | 'problems'>[]
  /** This server, for operators. */
  holder: string
  log: Log
  onOutage(outage: Outage | null): void
}): Promise<{ engineStates: EngineStates; close(): Promise<void> }> {
  const { store, inventory, engines, holder, log, onOutage } = tools
  const engineStates = await createEngineStates({
    store,
    log,
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
  const stops = engines.flatMap(({ source, area: name, feed, kinds }) =>
    feed
      ? followFeed({ name, feed, kinds, store, inventory: inventory.from(source), states: engineStates, holder, log })
      : [],
  )
  return {
    engineStates,
    async close() {
      await Promise.all(stops.map((stop) => stop()))
      engineStates.close()
    },
  }
}
