import type { Problem } from '@mainstay/contract/core/problems'
import { problem, fieldProblem, withField } from '@mainstay/contract/core/problems'
import { versionOf } from '@mainstay/contract/networking/addresses'
import type { FloatingIp, FloatingIpChange } from '@mainstay/contract/networking/floating-ips'
import type { Port } from '@mainstay/contract/networking/ports'
import * as z from 'zod'
import { says } from '@mainstay/contract/core/said'
import type { FloatingIpsPort } from '../../../ports/networking'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { deleteRow } from '../marks'
import { portReader } from '../ports/reader'
import { orElse } from '../refusals'
import { usableNetwork } from '../visible'
import { floatingIpReader } from './reader'

/** Floating IP commands. They also refresh the affected ports, which list their floating IPs. */
export function floatingIpCommands(engine: Engine): FloatingIpsPort {
  const refresh = async (id: string, ports: (string | null | undefined)[]): Promise<FloatingIp> => {
    for (const port of new Set(ports)) if (port) await unlessGone(engine.refresh(portReader, port))
    return engine.refresh(floatingIpReader, id)
  }
  const unsupported = () => Promise.reject(problem('networking.no_published_ports'))
  return {
    async create(scope, draft) {
      const field = 'floating_network_id'
      const network = await usableNetwork(engine, scope, draft.floating_network_id, { action: 'routed', field })
      if (draft.floating_ip_address !== undefined && scope.kind !== 'system')
        throw fieldProblem('floating_ip_address', 'networking.address_of_operators')
      const body = {
        floating_network_id: draft.floating_network_id,
        description: draft.description,
        ...(draft.floating_ip_address !== undefined && { floating_ip_address: draft.floating_ip_address }),
        ...(draft.port_id && { port_id: draft.port_id, ...(await addressOf(engine, scope, draft)) }),
      }
      const cloud = await engine.as(scope)
      const Made = z.object({ floatingip: z.object({ id: z.string() }) })
      const sent = cloud.send('POST', 'network', '/floatingips', Made, { body: { floatingip: body } })
      const { floatingip } = await orElse(sent, (problem) => {
        if (problem.code === 'no_free_addresses')
          throw withField(problem, { field, message: says('networking.addresses_used_up', { network: network.name }) })
        if (problem.code === 'ip_address_in_use') throw withField(problem, { field: 'floating_ip_address' })
        throw refusalOf(problem)
      })
      return refresh(floatingip.id, [draft.port_id])
    },

    async update(scope, id, change) {
      const row = await engine.known<FloatingIp>('floating_ip', scope, id)
      const { description, port_id, fixed_ip_address } = change
      if (fixed_ip_address && (port_id === null || (port_id === undefined && row.port_id === null)))
        throw fieldProblem('fixed_ip_address', 'networking.choose_port')
      const leads = port_id === undefined ? (fixed_ip_address ? row.port_id : undefined) : port_id
      const body = {
        ...(description !== undefined && { description }),
        ...(leads === null && { port_id: null }),
        ...(leads && {
          port_id: leads,
          ...(await addressOf(engine, scope, { port_id: leads, fixed_ip_address })),
        }),
      }
      const cloud = await engine.as(scope)
      if (Object.keys(body).length > 0) {
        const path = `/floatingips/${encodeURIComponent(id)}`
        const sent = cloud.send('PUT', 'network', path, z.void(), { body: { floatingip: body } })
        await orElse(sent, (problem) => {
          throw refusalOf(problem)
        })
      }
      return refresh(id, [row.port_id, leads])
    },

    async delete(scope, id) {
      const { port_id } = await engine.known<FloatingIp>('floating_ip', scope, id)
      await deleteRow(await engine.as(scope), 'floatingips', id)
      await unlessGone(refresh(id, [port_id]))
    },

    publish: unsupported,
    unpublish: unsupported,
  }
}

/** Returns the fixed address that a floating IP is assigned to: by default, the port's first IPv4 address. */
async function addressOf(
  engine: Engine,
  scope: Scope,
  { port_id, fixed_ip_address }: Pick<FloatingIpChange, 'port_id' | 'fixed_ip_address'>,
): Promise<{ fixed_ip_address?: string }> {
  const port = await engine.records.transaction((tx) => tx.get<Port>('port', port_id!))
  if (port && scope.kind !== 'system' && port.project_id !== scope.project_id)
    throw fieldProblem('port_id', 'networking.no_such_port')
  // the cloud may know a port that is not in the index yet
  if (!port) return fixed_ip_address ? { fixed_ip_address } : {}
  const own = port.fixed_ips.map(({ ip_address }) => ip_address)
  if (fixed_ip_address && !own.includes(fixed_ip_address))
    throw fieldProblem('fixed_ip_address', 'networking.port_without_address')
  const address = fixed_ip_address || own.find((it) => versionOf(it) === 4)
  if (!address) throw fieldProblem('port_id', 'networking.port_without_ipv4')
  return { fixed_ip_address: address }
}

/** Assigns an error to the field that caused it. */
function refusalOf(problem: Problem): Problem {
  const { code, message } = problem
  if (code === 'not_routable')
    return withField(problem, {
      field: 'port_id',
      message: says('networking.no_router_to_floating_ip'),
    })
  if (code === 'port_already_has_fip')
    return withField(problem, { field: 'port_id', message: says('networking.address_has_floating_ip') })
  if (code === 'not_found' && /\bport\b/i.test(message))
    return withField(problem, { field: 'port_id', code: 'validation', message: says('networking.no_such_port') })
  if (code === 'validation')
    return withField(problem, { field: /network/i.test(message) ? 'floating_network_id' : 'port_id' })
  return problem
}
