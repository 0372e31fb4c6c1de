import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import * as z from 'zod'
import type { Reading } from '../../kind-reader'
import { restReader } from '../../rest-reader'
import { WireTime } from '../../wire-time'
import { holderNames, namesIn, type Names } from '../names'
import { beforeTimes, inChunks, mayComeUp, pageSize, whole } from '../wire'

const Holder = z.object({ device_id: z.string().default(''), device_owner: z.string().default('') })
type Holder = z.output<typeof Holder>

/** A floating IP in Neutron. `port_details` is available since Queens. */
export const WireFloatingIp = z.object({
  id: z.string(),
  description: z.string().nullish(),
  floating_ip_address: z.string(),
  floating_network_id: z.string(),
  fixed_ip_address: z.string().nullish(),
  port_id: z.string().nullish(),
  router_id: z.string().nullish(),
  port_details: Holder.nullish(),
  status: z.string().nullish(),
  project_id: z.string(),
  created_at: WireTime.nullish(),
  updated_at: WireTime.nullish(),
})
export type WireFloatingIp = z.output<typeof WireFloatingIp>

interface Around {
  networks: Names
  /** Returns, for each floating IP, the device that uses its port; null if there is none. */
  holders(wires: readonly WireFloatingIp[]): Promise<(wire: WireFloatingIp) => { holder: Holder; name: string } | null>
}

const WirePort = Holder.extend({ id: z.string() })

/** Reads the ports of floating IPs without `port_details`. */
async function portsOf({ caller }: Reading, ids: string[], signal?: AbortSignal): Promise<Map<string, Holder>> {
  const rows = await inChunks(ids, (id) => {
    const query = { id, fields: Object.keys(WirePort.shape), limit: pageSize }
    return whole(caller.pages('network', '/ports', 'ports', WirePort, { query, ...(signal && { signal }) }))
  })
  return new Map(rows.map((row) => [row.id, row]))
}

async function around(reading: Reading, network: string | null, signal?: AbortSignal): Promise<Around> {
  const namesOf = holderNames(reading, { all: network === null, signal })
  return {
    networks: await namesIn(reading, 'networks', network === null ? null : [network], signal),
    async holders(wires) {
      const untold = wires.flatMap(({ port_id, port_details }) => (port_id && !port_details ? [port_id] : []))
      const ports = await portsOf(reading, untold, signal)
      const holderOf = ({ port_id, port_details }: WireFloatingIp) =>
        port_details ?? (port_id ? ports.get(port_id) : undefined)
      const names = await namesOf(wires.flatMap((wire) => holderOf(wire) ?? []))
      return (wire) => {
        const holder = wire.port_id ? holderOf(wire) : undefined
        return holder && holder.device_id !== '' ? { holder, name: names.get(holder.device_id) ?? '' } : null
      }
    },
  }
}

const statuses = ['ACTIVE', 'DOWN', 'ERROR'] as const

async function floatingIpOf(
  wire: WireFloatingIp,
  reading: Reading,
  { networks, holders }: Around,
): Promise<FloatingIp> {
  const held = (await holders([wire]))(wire)
  return {
    id: wire.id,
    description: wire.description ?? '',
    floating_ip_address: wire.floating_ip_address,
    floating_network_id: wire.floating_network_id,
    floating_network_name: networks.get(wire.floating_network_id) ?? wire.floating_network_id,
    fixed_ip_address: wire.fixed_ip_address || null,
    port_id: wire.port_id || null,
    router_id: wire.router_id || null,
    attachment: held
      ? {
          object_id: held.holder.device_id,
          object_name: held.name || held.holder.device_id,
          device_owner: held.holder.device_owner,
        }
      : null,
    attached_to: held ? held.name || null : null,
    status: statuses.find((it) => it === wire.status) ?? 'DOWN',
    project_id: wire.project_id,
    domain_id: await reading.domainOf(wire.project_id),
    created_at: wire.created_at ?? beforeTimes,
    updated_at: wire.updated_at ?? wire.created_at ?? beforeTimes,
  }
}

/** Floating IPs in all projects, with the objects that they are assigned to. */
export const floatingIpReader = restReader({
  kind: 'floating_ip',
  service: 'network',
  path: '/floatingips',
  key: ['floatingips', 'floatingip'],
  isOptional: true,
  item: WireFloatingIp,
  query: { limit: pageSize },
  around: {
    ofAll: (reading, signal) => around(reading, null, signal),
    ofOne: (reading, { floating_network_id }, signal) => around(reading, floating_network_id, signal),
  },
  row: floatingIpOf,
  // ports list their floating IPs
  shownAs: ({ port_id }) => port_id,
  shownBy: ({ port_id }) => (port_id === null ? [] : [{ kind: 'port', id: port_id }]),
  isBusy: (row) => row.port_id !== null && mayComeUp(row),
})
