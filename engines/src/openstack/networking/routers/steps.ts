import type { RouterRoute } from '@mainstay/contract/networking/routers'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TaskSteps } from '../../engine'
import { unlessGone } from '../../read-each'
import { deleteRow, markedBy } from '../marks'
import { connect, disconnect, type Leg } from './legs'
import { isLeg, routerPorts, routerReader } from './reader'

/* Steps that resolve or undo the router commands of a server that died. */

export const subjectOf = ({ id, name }: { id: string; name: string }) => ({ kind: 'router', id, name })

/** Former state of an interface, to restore it. */
export interface FormerInterface {
  network_id: string
  port_id: string
  fixed_ips: { subnet_id: string; ip_address: string }[]
}
interface Before {
  kept: FormerInterface[]
  routes: RouterRoute[]
}

const WireGateway = z.object({ subnet: z.object({ gateway_ip: z.string().nullish() }) })

/** Restores a router's lost interfaces with their addresses, and then its routes. */
export async function reconnect(
  cloud: ServiceClient,
  routerId: string,
  { kept, routes }: Before,
  intent: string,
): Promise<void> {
  const path = `/routers/${encodeURIComponent(routerId)}`
  if (!(await unlessGone(cloud.get('network', path, z.unknown())))) return
  const legs = (await routerPorts({ caller: cloud }, routerId)).filter(isLeg)
  const has = new Set(legs.flatMap(({ fixed_ips }) => fixed_ips.map(({ subnet_id }) => subnet_id)))
  for (const { network_id, fixed_ips } of kept) {
    const subnets: Leg['subnets'] = []
    for (const { subnet_id: id, ip_address: address } of fixed_ips) {
      if (has.has(id)) continue
      const { subnet } = await cloud.get('network', `/subnets/${encodeURIComponent(id)}`, WireGateway)
      subnets.push({ id, address, gateway: subnet.gateway_ip || null })
    }
    if (subnets.length > 0) await connect(cloud, routerId, { network_id, subnets, at: '' }, intent)
  }
  if (routes.length > 0) await cloud.send('PUT', 'network', path, z.void(), { body: { router: { routes } } })
}

export function registerRouterSteps(engine: Engine): void {
  const { caller } = engine.reading
  /** Returns the ports of a router, except its gateway. */
  const legs = async (id: string) => (await routerPorts(engine.reading, id)).filter(isLeg)

  const create: TaskSteps = {
    async find({ task_id, args }) {
      const id = await markedBy(caller, 'routers', task_id)
      if (id === null) return false
      return (await legs(id)).flatMap(({ fixed_ips }) => fixed_ips).length >= (args['subnets'] as number) ? [] : false
    },
    async undo({ task_id }) {
      const id = await markedBy(caller, 'routers', task_id)
      if (id !== null) {
        await disconnect(
          caller,
          id,
          (await legs(id)).map((leg) => leg.id),
        )
        await deleteRow(caller, 'routers', id)
      }
      await deleteMarkedPort(caller, task_id)
    },
  }

  const addInterface: TaskSteps = {
    async find({ subject, args }) {
      const there = (await legs(subject.id)).filter(({ network_id }) => network_id === args['network_id'])
      return there.flatMap(({ fixed_ips }) => fixed_ips).length >= (args['subnets'] as number) ? [] : false
    },
    async undo({ subject, args, task_id }) {
      const had = args['had'] as string[]
      const added = (await legs(subject.id)).filter(
        ({ id, network_id }) => network_id === args['network_id'] && !had.includes(id),
      )
      await disconnect(
        caller,
        subject.id,
        added.map(({ id }) => id),
      )
      await deleteMarkedPort(caller, task_id)
    },
  }

  const before = (args: Record<string, unknown>) => args as unknown as Before
  const undo: TaskSteps['undo'] = ({ subject, args, task_id }) => reconnect(caller, subject.id, before(args), task_id)
  const removeInterface: TaskSteps = {
    async find({ subject, args }) {
      const ports = new Set((await legs(subject.id)).map(({ id }) => id))
      return before(args).kept.every(({ port_id }) => !ports.has(port_id)) ? [] : false
    },
    undo,
  }
  const remove: TaskSteps = {
    async find({ subject }) {
      return (await unlessGone(engine.refresh(routerReader, subject.id))) === null
    },
    undo,
  }

  engine.registerTaskSteps('compute.router.create', create)
  engine.registerTaskSteps('compute.router.add_interface', addInterface)
  engine.registerTaskSteps('compute.router.remove_interface', removeInterface)
  engine.registerTaskSteps('compute.router.delete', remove)
}

/** Deletes a port that was created for an interface but not connected. */
async function deleteMarkedPort(caller: ServiceClient, intent: string): Promise<void> {
  const id = await markedBy(caller, 'ports', intent)
  if (id !== null) await deleteRow(caller, 'ports', id)
}
