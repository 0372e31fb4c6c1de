import { says } from '@mainstay/contract/core/said'
import type { Problem } from '@mainstay/contract/core/problems'
import { fieldProblem, problem, withField } from '@mainstay/contract/core/problems'
import { isInRange, parseAddress, parseRange, versionOf } from '@mainstay/contract/networking/addresses'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { routeFaults } from '@mainstay/contract/networking/router-rules'
import type { InterfaceDraft, Router, RouterChange, RouterDraft } from '@mainstay/contract/networking/routers'
import { connectionKind, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import * as z from 'zod'
import type { RoutersPort } from '../../../ports/networking'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { Engine, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { unlessGone } from '../../read-each'
import { deleteRow, markOf } from '../marks'
import { portReader } from '../ports/reader'
import { leftBehind, orElse, refuseFaults } from '../refusals'
import { usableNetwork } from '../visible'
import { connect, connectedOf, disconnect, attachmentsFor } from './legs'
import { routerReader } from './reader'
import { registerRouterSteps, reconnect, subjectOf, type FormerInterface } from './steps'

/** Router commands. Creating or deleting a router connects or disconnects all of its networks, or none of them. */
export function routerCommands(engine: Engine): RoutersPort {
  registerRouterSteps(engine)
  return {
    create: (scope, draft) => create(engine, scope, draft),
    update: (scope, id, change) => update(engine, scope, id, change),
    delete: (scope, id, how) => remove(engine, scope, id, how),
    addInterface: (scope, id, draft) => addInterface(engine, scope, id, draft),
    removeInterface: (scope, id, networkId) => removeInterface(engine, scope, id, networkId),
  }
}

const pathOf = (id: string) => `/routers/${encodeURIComponent(id)}`

/** Refreshes the router and its ports. `gone`: ports that it no longer has. */
async function shown(engine: Engine, id: string, gone: readonly string[] = []): Promise<Router> {
  const router = await engine.refresh(routerReader, id)
  const { interfaces_info, external_interface } = router
  const ports = [...interfaces_info, ...(external_interface ? [external_interface] : [])].map((it) => it.port_id)
  for (const port of [...gone, ...ports]) await unlessGone(engine.refresh(portReader, port))
  return router
}

type Gateway = NonNullable<RouterDraft['external_gateway_info']>

/** Returns the gateway in Neutron's format, without default values, which members may not set. */
const gatewayBody = (gateway: Gateway | null) =>
  gateway === null
    ? {}
    : {
        network_id: gateway.network_id,
        ...(!gateway.enable_snat && { enable_snat: false }),
        ...(gateway.external_fixed_ips && { external_fixed_ips: gateway.external_fixed_ips }),
      }

const checkGateway = async (engine: Engine, scope: Scope, gateway: Gateway): Promise<void> => {
  const field = 'external_gateway_info.network_id'
  if (gateway.external_fixed_ips && scope.kind !== 'system')
    throw fieldProblem('external_gateway_info.external_fixed_ips', 'networking.gateway_address_of_operators')
  await usableNetwork(engine, scope, gateway.network_id, { action: 'routed', field })
}

/** Assigns an error about a gateway to the field at fault. */
function gatewayRefusal(problem: Problem, gateway: Gateway | null | undefined): Problem {
  const at = (name: string) => `external_gateway_info.${name}`
  const { code } = problem
  if (!gateway) return problem
  if (code === 'no_free_addresses') return withField(problem, { field: at('network_id') })
  if (code === 'ip_address_in_use') return withField(problem, { field: at('external_fixed_ips') })
  if (code === 'forbidden' && !gateway.enable_snat)
    return withField(problem, { field: at('enable_snat'), message: says('networking.snat_of_operators') })
  if (code === 'validation')
    return withField(problem, { field: at(gateway.external_fixed_ips ? 'external_fixed_ips' : 'network_id') })
  return problem
}

async function create(engine: Engine, scope: ProjectScope, draft: RouterDraft): Promise<Router> {
  const { name, external_gateway_info: gateway, internal_interfaces } = draft
  if (gateway) await checkGateway(engine, scope, gateway)
  const legs = await attachmentsFor(engine, scope, internal_interfaces, {
    connected: [],
    at: (place) => `internal_interfaces.${place}.`,
  })
  const cloud = await engine.as(scope)
  const subnets = legs.flatMap((leg) => leg.subnets).length
  const meant: TrackedTask = {
    ...{ name: 'compute.router.create', subject: subjectOf({ id: '', name }), until: 'settled', scope },
    args: { subnets },
  }
  const id = await engine.command(
    meant,
    async (intent) => {
      const Made = z.object({ router: z.object({ id: z.string() }) })
      const body = {
        router: { name, description: markOf(intent), ...(gateway && { external_gateway_info: gatewayBody(gateway) }) },
      }
      const { router } = await orElse(cloud.send('POST', 'network', '/routers', Made, { body }), (problem) => {
        throw gatewayRefusal(problem, gateway)
      })
      const made: string[] = []
      try {
        for (const leg of legs) made.push(...(await connect(cloud, router.id, leg, intent)))
      } catch (error) {
        await disconnect(cloud, router.id, made)
          .then(() => deleteRow(cloud, 'routers', router.id))
          .catch((cause: unknown) => {
            throw leftBehind(cause)
          })
        throw error
      }
      return router.id
    },
    () => [],
  )
  return shown(engine, id)
}

async function update(engine: Engine, scope: Scope, id: string, change: RouterChange): Promise<Router> {
  const row = await engine.known<Router>('router', scope, id)
  const { name, external_gateway_info: gateway, routes } = change
  if (gateway) await checkGateway(engine, scope, gateway)
  if (routes) await checkRoutes(engine, id, routes)
  const body = {
    ...(name !== undefined && { name }),
    ...(gateway !== undefined && { external_gateway_info: gatewayBody(gateway) }),
    ...(routes !== undefined && { routes }),
  }
  const cloud = await engine.as(scope)
  if (Object.keys(body).length > 0)
    await orElse(cloud.send('PUT', 'network', pathOf(id), z.void(), { body: { router: body } }), async (problem) => {
      if (problem.code === 'router_in_use')
        throw await neededBy(engine, problem, { router: row, field: 'external_gateway_info' })
      if (problem.code === 'nexthop_unreachable' || (routes && problem.code === 'validation'))
        throw withField(problem, { field: 'routes' })
      throw gatewayRefusal(problem, gateway)
    })
  return shown(engine, id, row.external_interface ? [row.external_interface.port_id] : [])
}

/** Checks routes against a refreshed router, because the index may not contain a new interface yet. */
async function checkRoutes(engine: Engine, id: string, routes: NonNullable<RouterChange['routes']>): Promise<void> {
  if (routes.length === 0) return
  const router = await engine.refresh(routerReader, id)
  refuseFaults(routeFaults(routes, await connectedOf(engine, router), router.routes))
}

async function addInterface(engine: Engine, scope: Scope, id: string, draft: InterfaceDraft): Promise<Router> {
  const row = await engine.known<Router>('router', scope, id)
  const connected = await connectedOf(engine, { ...row, external_interface: null })
  const [leg] = await attachmentsFor(engine, scope, [draft], { connected, at: () => '' })
  const cloud = await engine.as(scope)
  const had = row.interfaces_info.map(({ port_id }) => port_id)
  const meant: TrackedTask = {
    ...{ name: 'compute.router.add_interface', subject: subjectOf(row), until: 'settled', scope },
    args: { network_id: draft.network_id, subnets: leg!.subnets.length, had },
  }
  await engine.command(
    meant,
    (intent) => connect(cloud, id, leg!, intent),
    () => [],
  )
  return shown(engine, id)
}

async function removeInterface(engine: Engine, scope: Scope, id: string, networkId: string): Promise<Router> {
  const row = await loadUnlessRefused(engine, routerReader, scope, id, ({ interfaces_info }) =>
    interfaces_info.some(({ network_id }) => network_id === networkId)
      ? null
      : fieldProblem('network_id', 'networking.not_connected'),
  )
  const legs = row.interfaces_info.filter(({ network_id }) => network_id === networkId)
  await takeAway(engine, scope, row, { name: 'compute.router.remove_interface', legs })
  return shown(
    engine,
    id,
    legs.map(({ port_id }) => port_id),
  )
}

const keptOf = ({ network_id, port_id, fixed_ips }: Router['interfaces_info'][number]): FormerInterface => ({
  ...{ network_id, port_id },
  fixed_ips,
})

/** Disconnects networks from a router, then runs `last`. If a step fails, everything is restored. */
async function takeAway(
  engine: Engine,
  scope: Scope,
  router: Router,
  how: {
    name: 'compute.router.remove_interface' | 'compute.router.delete'
    legs: Router['interfaces_info']
    last?: () => Promise<void>
  },
): Promise<void> {
  const { name, legs, last } = how
  const cloud = await engine.as(scope)
  // start with networks that floating IPs may use, so that an error occurs before any change
  const hasV4 = ({ fixed_ips }: FormerInterface) => fixed_ips.some(({ ip_address }) => versionOf(ip_address) === 4)
  const kept = legs.map(keptOf).toSorted((a, b) => Number(hasV4(b)) - Number(hasV4(a)))
  const routes = last && legs.length > 0 ? router.routes : []
  const isDeleted = last !== undefined
  const meant: TrackedTask = {
    ...{ name, subject: subjectOf(router), until: isDeleted ? 'gone' : 'settled', scope },
    args: { kept, routes },
  }
  const send = async (intent: string) => {
    try {
      // the routes use the networks to be disconnected
      if (routes.length > 0)
        await cloud.send('PUT', 'network', pathOf(router.id), z.void(), { body: { router: { routes: [] } } })
      await disconnect(
        cloud,
        router.id,
        kept.map(({ port_id }) => port_id),
      )
      await last?.()
    } catch (error) {
      await reconnect(cloud, router.id, { kept, routes }, intent).catch((cause: unknown) => {
        throw leftBehind(cause)
      })
      throw error
    }
  }
  await orElse(engine.command(meant, send, isDeleted ? undefined : () => []), async (problem) => {
    const isNeeded = problem.code === 'router_interface_in_use' || problem.code === 'router_in_use'
    if (!isNeeded) throw problem
    const needed = await neededBy(engine, problem, { router, legs: isDeleted ? undefined : legs })
    throw isDeleted ? withField(needed, { code: 'router_in_use' }) : needed
  })
}

async function remove(
  engine: Engine,
  scope: Scope,
  id: string,
  { withInterfaces }: { withInterfaces: boolean },
): Promise<Router> {
  const row = await loadUnlessRefused(engine, routerReader, scope, id, ({ interfaces_info }) => {
    if (withInterfaces || interfaces_info.length === 0) return null
    const networks = new Map(interfaces_info.map((it) => [it.network_id, it.network_name]))
    const values = { names: [...networks.values()].join(', ') }
    const used_by = [...networks].map(([network, name]) => ({ kind: 'network', id: network, name }))
    return problem('networking.networks_of_router', values, { data: { used_by } })
  })
  const cloud = await engine.as(scope)
  await takeAway(engine, scope, row, {
    name: 'compute.router.delete',
    legs: withInterfaces ? row.interfaces_info : [],
    last: () => deleteRow(cloud, 'routers', id),
  })
  for (const { port_id } of row.interfaces_info) await unlessGone(engine.refresh(portReader, port_id))
  const gateway = row.external_interface?.port_id
  if (gateway !== undefined) await unlessGone(engine.refresh(portReader, gateway))
  return (await unlessGone(engine.refresh(routerReader, id))) ?? { ...row, status: 'PENDING_DELETE' }
}

/**
 * Adds to an error the objects that use the router or its connections to these networks: floating IPs, VPN connections
 * and routes, from the index.
 */
async function neededBy(
  engine: Engine,
  problem: Problem,
  { router, legs, field }: { router: Router; legs?: Router['interfaces_info'] | undefined; field?: string },
): Promise<Problem> {
  const connected = legs && (await connectedOf(engine, { interfaces_info: legs, external_interface: null }))
  const isThere = (address: string | null): boolean => {
    const at = address === null ? null : parseAddress(address)
    return !connected || (at !== null && connected.some(({ cidr }) => isInRange(at, parseRange(cidr)!)))
  }
  const floating = await engine.records.transaction((tx) =>
    tx.find<FloatingIp>('floating_ip', { router_id: router.id }),
  )
  const needing = floating.filter(({ fixed_ip_address }) => isThere(fixed_ip_address))
  // routes are deleted with the router
  const routes = connected ? router.routes.filter(({ nexthop }) => isThere(nexthop)) : []
  const tunnels = await tunnelsThrough(engine, router, connected)
  const used_by = [
    ...needing.map(({ id, floating_ip_address: name }) => ({ kind: 'floating_ip', id, name })),
    ...tunnels.map(({ id, name }) => ({ kind: connectionKind.name, id, name })),
    ...routes.map(({ destination }) => ({ kind: 'route', id: destination, name: destination })),
  ]
  const names = used_by.map(({ name }) => name).join(', ')
  const message = names === '' ? undefined : says('networking.needed_by', { names })
  return withField(problem, { field, message, data: { used_by } })
}

/** Returns the VPN connections of a router, or only those that use these subnets. */
async function tunnelsThrough(
  engine: Engine,
  { id: router_id }: Router,
  legs: readonly { cidr: string }[] | undefined,
): Promise<IpsecSiteConnection[]> {
  const all = await engine.records.transaction((tx) => tx.find<IpsecSiteConnection>(connectionKind.name, { router_id }))
  return legs ? all.filter((it) => legs.some(({ cidr }) => it.local_subnets.includes(cidr))) : all
}
