import type { Instance, InstanceInterfaceChange } from '@mainstay/contract/compute/instances'
import { notFound, problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { InterfacesPort } from '../../../ports/networking'
import type { Scope } from '../../../ports/scope'
import type { Engine, TaskSteps } from '../../engine'
import { unlessGone } from '../../read-each'
import { allowed, known, orInvalidState, refreshed, subjectOf } from '../../compute/instances/act'
import {
  changePort,
  deletePort,
  deletePortsOf,
  createPorts,
  ownerOfPort,
  portsMadeFor,
  type NetworkDraft,
} from './ports'

const mostInterfaces = 8
const lookEveryMs = 1000
/** How long the task waits for the guest to release an interface, in milliseconds. */
const patienceMs = 5 * 60_000
/** Deadline for the call, because the cloud responds only once the guest has the interface. */
const attachWithinMs = 120_000

/** Commands for the network interfaces of instances. Also registers the steps of their tasks. */
export function interfaceCommands(engine: Engine): InterfacesPort {
  engine.registerTaskSteps('compute.server.attach_interface', attachInterfaceSteps(engine))
  engine.registerTaskSteps('compute.server.detach_interface', detachInterfaceSteps(engine))
  return {
    attach: (scope, id, draft) => attachInterface(engine, scope, id, draft),
    detach: (scope, id, portId) => detachInterface(engine, scope, id, portId),
    update: (scope, id, portId, change) => updateInterface(engine, scope, id, portId, change),
  }
}

async function attachInterface(engine: Engine, scope: Scope, id: string, draft: NetworkDraft): Promise<Instance> {
  const row = await allowed(engine, scope, id, 'attachInterface')
  if (row.network_data.length >= mostInterfaces) {
    throw problem('compute.too_many_interfaces', { most: mostInterfaces })
  }
  const cloud = await engine.as(scope)
  const args = { cards: row.network_data.map(({ port_id }) => port_id) }
  const meant = {
    name: 'compute.server.attach_interface',
    subject: subjectOf(row),
    until: 'settled',
    scope,
    args,
  } as const
  await engine.command(meant, async (intent) => {
    const of = { projectId: row.project_id, intent }
    const { cards, takeBack } = await createPorts(engine, cloud, [draft], () => '', of)
    const [interfaceAttachment] = cards.map((card) => ('port' in card ? { port_id: card.port } : { net_id: card.uuid }))
    try {
      const path = `/servers/${id}/os-interface`
      const options = { body: { interfaceAttachment }, deadlineMs: attachWithinMs }
      await orInvalidState(engine, id, cloud.send('POST', 'compute', path, z.void(), options))
    } catch (error) {
      await takeBack()
      throw error
    }
  })
  return refreshed(engine, id)
}

async function detachInterface(engine: Engine, scope: Scope, id: string, portId: string): Promise<Instance> {
  const row = await allowed(engine, scope, id, 'detachInterface')
  if (!row.network_data.some((card) => card.port_id === portId)) throw notFound()
  const cloud = await engine.as(scope)
  const isMadeHere = (await portsMadeFor(cloud, id)).includes(portId)
  const args = { port: portId, isMadeHere }
  const meant = {
    name: 'compute.server.detach_interface',
    subject: subjectOf(row),
    until: 'settled',
    scope,
    args,
  } as const
  await engine.command(meant, () =>
    orInvalidState(engine, id, cloud.send('DELETE', 'compute', `/servers/${id}/os-interface/${portId}`, z.void())),
  )
  return (await unlessGone(refreshed(engine, id))) ?? row
}

async function updateInterface(
  engine: Engine,
  scope: Scope,
  id: string,
  portId: string,
  change: InstanceInterfaceChange,
): Promise<Instance> {
  const row = await known(engine, scope, id)
  if (!row.network_data.some((card) => card.port_id === portId)) throw notFound()
  await changePort(await engine.as(scope), portId, change)
  return refreshed(engine, id)
}

const attachInterfaceSteps = (engine: Engine): TaskSteps => ({
  /** Finds an interface that did not exist before the command. */
  async find({ subject: { id }, args }) {
    const row = await unlessGone(refreshed(engine, id))
    return row?.network_data.some(({ port_id }) => !(args['cards'] as string[]).includes(port_id)) ?? false
  },
  undo: ({ task_id }) => deletePortsOf(engine.reading.caller, task_id),
})

/** Waits for the port, because the instance does not become busy. */
const detachInterfaceSteps = (engine: Engine): TaskSteps => ({
  find: async ({ subject: { id }, args }) => (await ownerOfPort(engine.reading.caller, args['port'] as string)) !== id,

  async onSettled({ subject: { id }, args, time, since }) {
    const portId = args['port'] as string
    const { caller } = engine.reading
    if ((await ownerOfPort(caller, portId)) === id) {
      if (time - since > patienceMs) throw problem('compute.guest_keeps_interface')
      return { again: lookEveryMs }
    }
    if (args['isMadeHere']) await deletePort(caller, portId)
    await refreshed(engine, id)
    return null
  },
})
