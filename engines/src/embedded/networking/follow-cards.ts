import type { Instance } from '@mainstay/contract/compute/instances'
import type { Port } from '@mainstay/contract/networking/ports'
import type { Engine } from '../engine'
import { hasRunning, LOST_CARD, portStatusOf } from './follow-names'
import { followReports } from './follow-reports'
import { now } from './rows'

const EVERY_MS = 5_000

/**
 * Marks a running instance's port as down while no process has its network device open, because its traffic is lost.
 * Returns a function that stops the checks.
 */
export function followCards(
  engine: Pick<Engine, 'records' | 'log' | 'carrier' | 'hypervisor'>,
  everyMs = EVERY_MS,
): () => Promise<void> {
  let missing = new Set<string>()
  return followReports<boolean>(engine, {
    everyMs,
    isThere: () => !!engine.carrier.wanted()?.ports.length,
    async reports() {
      const found = await engine.hypervisor.machines.heldCards()
      const before = missing
      missing = new Set([...found].flatMap(([id, isHeld]) => (isHeld ? [] : [id])))
      // at startup, the device exists briefly before the process opens it, so a loss is reported only if it is seen
      // twice
      return new Map([...found].filter(([id, isHeld]) => isHeld || before.has(id)))
    },
    textOf: String,
    write: (id, isHeld) => write(engine, id, isHeld),
    fault: 'failed to save which virtual machines lost a network interface',
  })
}

/** Returns false if the row cannot be updated yet, because its instance is being changed. */
const write = ({ records }: Pick<Engine, 'records'>, id: string, isHeld: boolean): Promise<boolean> =>
  records.transaction(async (tx) => {
    const port = await tx.lock<Port>('port', id)
    const server = port && (await tx.get<Instance>('server', port.device_id))
    if (!port || !server || port.status === 'ERROR') return true
    const isTold = port.fault === LOST_CARD
    if (isHeld !== isTold) return true
    if (!isHeld && (!hasRunning(server) || server.task_state !== null)) return false
    const told = isHeld ? { status: portStatusOf(server), fault: null } : { status: 'DOWN' as const, fault: LOST_CARD }
    await tx.put('port', { ...port, ...told, updated_at: now() })
    return true
  })
