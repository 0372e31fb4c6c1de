import { connect } from 'node:net'
import { CONSOLE_LOG_BYTES, instanceCan } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { Problem } from '@mainstay/contract/core/problems'
import type { ScreenConnection } from '../../ports/compute'
import type { Scope } from '../../ports/scope'
import { getOwn } from '../access'
import type { Engine } from '../engine'

const view = (engine: Engine, scope: Scope, id: string) =>
  engine.records.transaction((tx) => getOwn<Instance>(tx, 'server', scope, id))

const connectWithinMs = 5000

/** A live connection to the machine's VNC server. */
export async function openScreen(engine: Engine, scope: Scope, id: string): Promise<ScreenConnection> {
  const row = await view(engine, scope, id)
  const unavailable = (message: string, cause?: unknown) =>
    new Problem('console_unavailable', message, { data: { status: row.status }, cause })
  if (!instanceCan('console', row)) throw unavailable(`The virtual machine is ${row.status}; it has no screen now`)
  let path: string
  try {
    path = await engine.hypervisor.machines.vncSocket(id)
  } catch (error) {
    throw unavailable('The virtual machine does not run; it has no screen now', error)
  }
  const stream = connect(path)
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => {
      stream.destroy()
      reject(unavailable('The screen cannot be reached', error))
    }
    const timer = setTimeout(() => fail(new Error('no answer in time')), connectWithinMs)
    stream.once('error', fail)
    stream.once('connect', () => {
      clearTimeout(timer)
      stream.off('error', fail)
      resolve()
    })
  })
  return { stream, close: () => stream.destroy() }
}

export async function consoleLog(engine: Engine, scope: Scope, id: string, tailBytes: number): Promise<Buffer> {
  await view(engine, scope, id)
  return engine.hypervisor.machines.consoleLog(id, Math.min(tailBytes, CONSOLE_LOG_BYTES))
}
