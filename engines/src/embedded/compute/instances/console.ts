import { says, type RuleText } from '@mainstay/contract/core/said'
import { connect } from 'node:net'
import { CONSOLE_LOG_BYTES, instanceCan } from '@mainstay/contract/compute/instance-rules'
import type { ConsoleProtocol, Instance } from '@mainstay/contract/compute/instances'
import { problemOf } from '@mainstay/contract/core/problems'
import type { ConsoleConnection } from '../../../ports/compute'
import type { Scope } from '../../../ports/scope'
import { getOwn } from '../../access'
import { connected } from '../../connected'
import type { Engine } from '../../engine'
import { MachineFault } from '../../hypervisor'

const view = (engine: Engine, scope: Scope, id: string) =>
  engine.records.transaction((tx) => getOwn<Instance>(tx, 'server', scope, id))

/** Opens a connection to the VNC server or serial port of the machine. */
export async function openConsole(
  engine: Engine,
  scope: Scope,
  id: string,
  protocol: ConsoleProtocol,
): Promise<ConsoleConnection> {
  const row = await view(engine, scope, id)
  const unavailable = (message: RuleText, cause?: unknown) =>
    problemOf(message, { data: { status: row.status }, cause })
  if (!instanceCan('console', row)) throw unavailable(says('compute.instance_without_console', { status: row.status }))
  const { machines } = engine.hypervisor
  try {
    const stream =
      protocol === 'serial' ? await machines.serialPort(id) : await connected(connect(await machines.vncSocket(id)))
    return { stream, close: () => stream.destroy() }
  } catch (error) {
    const code = error instanceof MachineFault ? error.code : null
    if (code === 'no_console') throw unavailable(says('compute.simulated_without_console'), error)
    const isOff = code === 'not_running'
    throw unavailable(isOff ? says('compute.instance_not_running') : says('compute.console_unreachable'), error)
  }
}

export async function consoleLog(engine: Engine, scope: Scope, id: string, tailBytes: number): Promise<Buffer> {
  await view(engine, scope, id)
  return engine.hypervisor.machines.consoleLog(id, Math.min(tailBytes, CONSOLE_LOG_BYTES))
}

export async function guestAnswers(engine: Engine, scope: Scope, id: string): Promise<boolean> {
  await view(engine, scope, id)
  return engine.hypervisor.machines.guestAnswers(id)
}
