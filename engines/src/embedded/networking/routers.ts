import { randomUUID } from 'node:crypto'
import { notFound, problem, problemOfFields } from '@mainstay/contract/core/problems'
import { parseRange, rangeText } from '@mainstay/contract/networking/addresses'
import { routeFaults } from '@mainstay/contract/networking/router-rules'
import type { Router, RouterChange, RouterDraft } from '@mainstay/contract/networking/routers'
import type { Port } from '@mainstay/contract/networking/ports'
import type { RuleText } from '@mainstay/contract/core/said'
import type { RoutersPort } from '../../ports/networking'
import type { JobHandler, RecordsTransaction } from '../../ports/records'
import type { ProjectScope, Scope } from '../../ports/scope'
import { getOwn, lockOwn } from '../access'
import type { Engine } from '../engine'
import { faultText } from '../faults'
import { checkQuotas } from '../quotas'
import { changePort } from './ports'
import {
  connectedSubnets,
  refuseWhileFloating,
  withGateway,
  withInterface,
  withoutGateway,
  withoutInterface,
} from './router-interfaces'
import { refuseWhileTunnelled, renameRouterOfTunnels } from './tunnels-of-routers'
import { changing, lockNetworks, lockRouting, namesOf, now, ownerOf, requireNetworks } from './rows'

const kind = 'router'

/** Locks a router. Throws if it is being deleted. */
async function lockRouter(tx: RecordsTransaction, scope: Scope, id: string): Promise<Router> {
  // check the owner first, so that other tenants cannot contend for the lock
  await getOwn<Router>(tx, kind, scope, id)
  await lockRouting(tx)
  const router = await lockOwn<Router>(tx, kind, scope, id)
  if (router.status === 'PENDING_DELETE') throw notFound()
  return router
}

async function putRouter(tx: RecordsTransaction, router: Router): Promise<Router> {
  const changed = { ...router, updated_at: now() }
  await tx.put(kind, changed)
  return changed
}

const createRouter = (engine: Engine, scope: ProjectScope, draft: RouterDraft): Promise<Router> =>
  changing(engine, async (tx) => {
    requireNetworks(engine)
    await lockRouting(tx)
    const legs = [...draft.internal_interfaces, ...(draft.external_gateway_info ? [draft.external_gateway_info] : [])]
    await lockNetworks(
      tx,
      legs.map(({ network_id }) => network_id),
    )
    await checkQuotas(engine, tx, scope, {
      routers: { amount: 1, field: 'name' },
      ports: { amount: legs.length, field: 'internal_interfaces' },
    })
    const at = now()
    let router: Router = {
      id: randomUUID(),
      name: draft.name,
      status: 'ACTIVE',
      external_gateway_info: null,
      routes: [],
      interfaces_info: [],
      external_interface: null,
      ...ownerOf(scope),
      created_at: at,
      updated_at: at,
    }
    if (draft.external_gateway_info) router = await withGateway(tx, scope, router, draft.external_gateway_info)
    for (const [place, leg] of draft.internal_interfaces.entries())
      router = await withInterface(tx, scope, router, leg, `internal_interfaces.${place}.`)
    await tx.put(kind, router)
    return router
  })

/** Normalizes the destinations of routes. Throws a single error that lists all validation errors. */
async function soundRoutes(
  tx: RecordsTransaction,
  router: Router,
  routes: NonNullable<RouterChange['routes']>,
  before: Router['routes'],
): Promise<Router['routes']> {
  const faults = routeFaults(routes, await connectedSubnets(tx, router), before)
  const [first] = faults
  if (first) {
    const fields: Record<string, RuleText[]> = {}
    for (const { field, message } of faults) (fields[field] ??= []).push(message)
    throw problemOfFields(first.code, fields)
  }
  return routes.map(({ destination, nexthop }) => ({ destination: rangeText(parseRange(destination)!), nexthop }))
}

const updateRouter = (engine: Engine, scope: Scope, id: string, change: RouterChange): Promise<Router> =>
  changing(engine, async (tx) => {
    const before = await lockRouter(tx, scope, id)
    const { name, external_gateway_info: gateway, routes } = change
    let router: Router = { ...before, ...(name !== undefined && { name }), ...(routes && { routes: [] }) }
    if (gateway !== undefined) {
      const isOther =
        gateway === null ||
        gateway.network_id !== before.external_gateway_info?.network_id ||
        gateway.external_fixed_ips !== undefined
      if (isOther && before.external_gateway_info) {
        await refuseWhileFloating(tx, before)
        await refuseWhileTunnelled(tx, before)
      }
      if (gateway !== null && !before.external_gateway_info) requireNetworks(engine)
      router = gateway === null ? await withoutGateway(tx, router) : await withGateway(tx, scope, router, gateway)
      if (isOther && routes === undefined) await soundRoutes(tx, router, router.routes, before.routes)
    }
    if (routes !== undefined) router = { ...router, routes: await soundRoutes(tx, router, routes, before.routes) }
    if (router.name !== before.name) {
      await renamePorts(tx, router)
      await renameRouterOfTunnels(tx, router)
    }
    return putRouter(tx, router)
  })

/** Copies a router's name to its ports. */
async function renamePorts(tx: RecordsTransaction, { id, name }: Router): Promise<void> {
  for (const port of await tx.find<Port>('port', { device_id: id })) await changePort(tx, port, { device_name: name })
}

const DELETE = 'compute.router.delete'

const deleteRouter = (engine: Engine, scope: Scope, id: string, withInterfaces: boolean): Promise<Router> =>
  engine.records.transaction(async (tx) => {
    const router = await lockRouter(tx, scope, id)
    await refuseWhileFloating(tx, router)
    await refuseWhileTunnelled(tx, router)
    if (router.interfaces_info.length > 0 && !withInterfaces) {
      const networks = router.interfaces_info.map(({ network_id, network_name }) => ({
        ...{ kind: 'network', id: network_id, name: network_name },
      }))
      const names = namesOf(networks.map((it) => it.name))
      throw problem('networking.router_has_networks', { names }, { data: { used_by: networks } })
    }
    const leaving = await putRouter(tx, { ...router, status: 'PENDING_DELETE' })
    await tx.startJob({ name: DELETE, subject: { kind, id, name: router.name }, args: {}, scope })
    return leaving
  })

/** Disconnects the networks, then the gateway, and deletes the router. */
const deleteRouterJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id } }) {
    await changing(engine, async (tx) => {
      await lockRouting(tx)
      let router = await tx.lock<Router>(kind, id)
      if (!router) return
      await refuseWhileFloating(tx, router)
      router = { ...router, routes: [] }
      for (const { network_id } of router.interfaces_info) router = await withoutInterface(tx, router, network_id)
      await withoutGateway(tx, router)
      await tx.remove(kind, id)
    })
    return null
  },
  onFailure: ({ subject: { id } }, error) =>
    changing(engine, async (tx) => {
      const router = await tx.lock<Router>(kind, id)
      if (router) await putRouter(tx, { ...router, status: 'ERROR', fault: faultText(error) })
    }),
})

const addInterface = (
  engine: Engine,
  scope: Scope,
  id: string,
  draft: { network_id: string; ip_address?: string | undefined },
): Promise<Router> =>
  changing(engine, async (tx) => {
    requireNetworks(engine, 'network_id')
    const router = await lockRouter(tx, scope, id)
    await lockNetworks(tx, [draft.network_id])
    await checkQuotas(engine, tx, router, { ports: { amount: 1, field: 'network_id' } })
    return putRouter(tx, await withInterface(tx, scope, router, draft, ''))
  })

const removeInterface = (engine: Engine, scope: Scope, id: string, networkId: string): Promise<Router> =>
  changing(engine, async (tx) => {
    const router = await lockRouter(tx, scope, id)
    return putRouter(tx, await withoutInterface(tx, router, networkId))
  })

export const routerCommands = (engine: Engine): RoutersPort => ({
  create: (scope, draft) => createRouter(engine, scope, draft),
  update: (scope, id, change) => updateRouter(engine, scope, id, change),
  delete: (scope, id, { withInterfaces }) => deleteRouter(engine, scope, id, withInterfaces),
  addInterface: (scope, id, draft) => addInterface(engine, scope, id, draft),
  removeInterface: (scope, id, networkId) => removeInterface(engine, scope, id, networkId),
})

export const routerJobs = (engine: Engine): Record<string, JobHandler> => ({ [DELETE]: deleteRouterJob(engine) })
