import { problem } from '@mainstay/contract/core/problems'
import type { GivenValues, MessageKey } from '@mainstay/contract/core/said'
import type { Instance } from '@mainstay/contract/compute/instances'
import {
  defaultModes,
  MaintenanceMode,
  modeField,
  type MaintenanceService,
  type MaintenanceCheck,
  type MaintenanceModes,
  type MaintenancePrecheck,
} from '@mainstay/contract/infrastructure/node-maintenance'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { isServedHere } from '../../../../engines/served-here'
import type { Tools } from '../../../../tools'
import { statement } from '../statement'
import { canBeMoved, canBeStopped, hasOtherHosts, machinesOn, namesOf } from './machines'

type PrecheckTools = Pick<Tools, 'inventory' | 'areas'>
type Result = MaintenanceCheck['result']
type Verdict = Pick<MaintenanceCheck, 'result' | 'key' | 'values' | 'message' | 'objects'>

const MOST_OBJECTS = 100

const verdict = <Key extends MessageKey>(
  result: Result,
  machines: readonly Instance[],
  key: Key,
  ...values: GivenValues<Key>
): Verdict => ({
  result,
  ...statement(key, ...values),
  objects: machines.slice(0, MOST_OBJECTS).map(({ id, name }) => ({ kind: 'server', id, name })),
})

async function ofCompute(tools: PrecheckTools, node: Node): Promise<Record<MaintenanceMode, Verdict>> {
  const machines = await machinesOn(tools, node)
  if (machines.length === 0) {
    const none = verdict('ok', [], 'infrastructure.maintenance_no_machines')
    return { evacuate: none, ignore: none, suspend: none }
  }
  const count = machines.length
  const stuck = { move: machines.filter((it) => !canBeMoved(it)), stop: machines.filter((it) => !canBeStopped(it)) }
  const values = (those: readonly Instance[]) => ({ count: those.length, names: namesOf(those) })
  return {
    evacuate: !(await hasOtherHosts(tools, node))
      ? verdict('blocked', machines, 'infrastructure.maintenance_nowhere', values(machines))
      : stuck.move.length > 0
        ? verdict('blocked', stuck.move, 'infrastructure.maintenance_immovable', values(stuck.move))
        : verdict('ok', machines, 'infrastructure.maintenance_moves', { count }),
    suspend:
      stuck.stop.length > 0
        ? verdict('blocked', stuck.stop, 'infrastructure.maintenance_unstoppable', values(stuck.stop))
        : verdict('warning', machines, 'infrastructure.maintenance_stops', { count }),
    ignore: verdict('warning', machines, 'infrastructure.maintenance_ignores', { count }),
  }
}

const textsOfOnly = {
  storage: ['infrastructure.maintenance_storage_left', 'infrastructure.maintenance_storage_stays'],
  s3: ['infrastructure.maintenance_s3_left', 'infrastructure.maintenance_s3_stays'],
  backend: ['infrastructure.maintenance_backend_left', 'infrastructure.maintenance_backend_stays'],
} as const

/** Returns the checks for a service that has its only copy on this host and can therefore only be left as it is. */
function ofOnly(service: keyof typeof textsOfOnly): Record<MaintenanceMode, Verdict> {
  const [ifLeft, ifNot] = textsOfOnly[service]
  const left = verdict('warning', [], ifLeft)
  const stays = verdict('blocked', [], ifNot)
  const isStorage = service === 'storage'
  return { evacuate: stays, ignore: left, suspend: isStorage ? left : stays }
}

/** Returns the services that run on a node. */
function servicesOn(tools: PrecheckTools, node: Node): MaintenanceService[] {
  const serves = (area: 'storage' | 'object-storage') => node.link.by === 'local' && isServedHere(tools, area)
  return [
    ...(node.is_assigned ? (['compute'] as const) : []),
    ...(serves('storage') ? (['storage'] as const) : []),
    ...(serves('object-storage') ? (['s3'] as const) : []),
    ...(node.is_primary ? (['backend'] as const) : []),
  ]
}

/** Returns what maintenance of a node would do to each of its services, in each mode. */
export async function precheck(tools: PrecheckTools, node: Node): Promise<MaintenancePrecheck> {
  const checks: MaintenanceCheck[] = []
  const suggested = { ...defaultModes }
  for (const service of servicesOn(tools, node)) {
    const verdicts = service === 'compute' ? await ofCompute(tools, node) : ofOnly(service as 'storage')
    for (const mode of MaintenanceMode.options) checks.push({ service, mode, ...verdicts[mode] })
    const field = modeField(service)
    const possible = [suggested[field], 'ignore' as const].find((mode) => verdicts[mode].result !== 'blocked')
    suggested[field] = possible ?? suggested[field]
  }
  return { checks, suggested }
}

/** Throws `maintenance_blocked` with the failed checks if maintenance cannot begin with these modes. */
export async function refuseBlocked(tools: PrecheckTools, node: Node, modes: MaintenanceModes): Promise<void> {
  const { checks } = await precheck(tools, node)
  const blocked = checks.filter(
    ({ service, mode, result }) => result === 'blocked' && modes[modeField(service)] === mode,
  )
  const [first] = blocked
  if (first)
    throw problem('infrastructure.maintenance_blocked', { reason: first.message }, { data: { checks: blocked } })
}
