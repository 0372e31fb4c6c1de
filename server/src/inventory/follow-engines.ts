import type { Outage } from '@mainstay/contract/core/outage'
import type { ComputePort } from '@mainstay/engines/ports/compute'
import type { Log } from '@mainstay/engines/ports/records'
import type { Store } from '../store/store'
import { createEngineStates, type EngineStates } from './engine-states'
import { followFeed } from './follow-feed'
import type { RowSource } from './types'

/** Lets the index follow the engines that it is not the record of, and tells how that goes. */
export async function followEngines(tools: {
  store: Store
  inventory: RowSource
  compute: Pick<ComputePort, 'name' | 'view' | 'problems'>
  /** This server, for operators. */
  holder: string
  log: Log
  onOutage(outage: Outage | null): void
}): Promise<{ engineStates: EngineStates; close(): Promise<void> }> {
  const { store, inventory, compute, holder, log, onOutage } = tools
  const { view } = compute
  const name = 'compute'
  const engineStates = await createEngineStates({
    store,
    log,
    engines: [{ name, engine: compute.name, view: view.kind, problems: () => compute.problems?.() ?? [] }],
  })
  onOutage(engineStates.outage())
  engineStates.onOutage(onOutage)
  const stop =
    view.kind === 'feed'
      ? followFeed({ name, view, store, inventory, states: engineStates, holder, log })
      : () => Promise.resolve()
  return {
    engineStates,
    async close() {
      await stop()
      engineStates.close()
    },
  }
}
