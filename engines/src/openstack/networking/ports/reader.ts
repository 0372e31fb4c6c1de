import { PortStatus, type Port } from '@mainstay/contract/networking/ports'
import * as z from 'zod'
import type { CallOptions, Query } from '../../client/service-client'
import { unreadableIn, type KindReader, type Reading } from '../../kind-reader'
import { rowOfEach, unlessGone } from '../../read-each'
import { WireTime } from '../../wire-time'
import { holderNames, namesIn, type Names } from '../names'
import { beforeTimes, domainOfOwner, FixedIp, inChunks, mayComeUp, pageSize, whole } from '../wire'

/** A port in Neutron, as an administrator sees it. Fields of missing extensions are absent. */
export const WirePort = z.object({
  id: z.string(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  network_id: z.string(),
  status: z.string().nullish(),
  admin_state_up: z.boolean().default(true),
  mac_address: z.string(),
  fixed_ips: z.array(FixedIp).default([]),
  device_id: z.string().default(''),
  device_owner: z.string().default(''),
  'binding:vnic_type': z.string().nullish(),
  'binding:host_id': z.string().nullish(),
  port_security_enabled: z.boolean().default(true),
  security_groups: z.array(z.string()).default([]),
  tags: z.array(z.string()).default([]),
  // ports used by the cloud itself have no project
  project_id: z.string().nullish(),
  created_at: WireTime.nullish(),
  updated_at: WireTime.nullish(),
})
export type WirePort = z.output<typeof WirePort>
/** Only these fields are requested. */
export const portFields = Object.keys(WirePort.shape)

interface Around {
  networks: Names
  holders: Names
  /** IDs of floating IPs by port. */
  floating: ReadonlyMap<string, string[]>
  domainId: string
}

export const portOf = (wire: WirePort, { networks, holders, floating, domainId }: Around): Port => ({
  id: wire.id,
  name: wire.name ?? '',
  description: wire.description ?? '',
  network_id: wire.network_id,
  network_name: networks.get(wire.network_id) ?? wire.network_id,
  status: PortStatus.safeParse(wire.status).data ?? 'DOWN',
  admin_state_up: wire.admin_state_up,
  mac_address: wire.mac_address.toLowerCase(),
  fixed_ips: wire.fixed_ips,
  device_id: wire.device_id,
  device_owner: wire.device_owner,
  device_name: holders.get(wire.device_id) ?? '',
  'binding:vnic_type': wire['binding:vnic_type']?.startsWith('direct') ? 'direct' : 'normal',
  'binding:host_id': wire['binding:host_id'] || null,
  spoofing_protection: wire.port_security_enabled,
  security_groups: wire.security_groups,
  floating_ips: floating.get(wire.id) ?? [],
  tags: wire.tags.toSorted(),
  project_id: wire.project_id ?? '',
  domain_id: domainId,
  created_at: wire.created_at ?? beforeTimes,
  updated_at: wire.updated_at ?? wire.created_at ?? beforeTimes,
})

const WireFloating = z.object({ id: z.string(), port_id: z.string().nullish() })

/** Reads floating IP IDs by port, for these ports or for all if null. Empty if the cloud does not have floating IPs. */
async function floatingOf({ caller }: Reading, ports: string[] | null, signal?: AbortSignal) {
  const read = async (query: Query) => {
    const options = { query: { ...query, fields: ['id', 'port_id'], limit: pageSize }, ...(signal && { signal }) }
    return whole(caller.pages('network', '/floatingips', 'floatingips', WireFloating, options))
  }
  const rows = await unlessGone(ports === null ? read({}) : inChunks(ports, (port_id) => read({ port_id })))
  const byPort = new Map<string, string[]>()
  for (const { id, port_id } of (rows ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    if (port_id) byPort.set(port_id, [...(byPort.get(port_id) ?? []), id])
  return byPort
}

async function rowsOf(
  reading: Reading,
  wires: readonly WirePort[],
  around: Pick<Around, 'networks' | 'floating'> & { holdersOf: ReturnType<typeof holderNames> },
): Promise<Port[]> {
  const holders = await around.holdersOf(wires)
  return rowOfEach(reading, 'ports', wires, async (wire) =>
    portOf(wire, { ...around, holders, domainId: await domainOfOwner(reading, wire.project_id ?? '') }),
  )
}

/** Ports in all projects, with their owners. */
export const portReader: KindReader<Port> = {
  kind: 'port',
  service: 'network',
  list: 'ports',

  async *all(reading, signal) {
    const [networks, floating] = await Promise.all([
      namesIn(reading, 'networks', null, signal),
      floatingOf(reading, null, signal),
    ])
    const holdersOf = holderNames(reading, { all: true, signal })
    const options: CallOptions = { query: { limit: pageSize, fields: portFields }, ...(signal && { signal }) }
    for await (const page of reading.caller.pages('network', '/ports', 'ports', WirePort, options))
      yield rowsOf(reading, page, { networks, floating, holdersOf })
  },

  async some(reading, ids, signal) {
    const tell = unreadableIn(reading, 'ports')
    const found = await inChunks(ids, (id) =>
      whole(
        reading.caller.pages('network', '/ports', 'ports', WirePort, {
          query: { id, fields: portFields, limit: pageSize },
          ...(signal && { signal }),
          ...(tell && { unreadable: tell }),
        }),
      ),
    )
    const [networks, floating] = await Promise.all([
      namesIn(
        reading,
        'networks',
        found.map(({ network_id }) => network_id),
        signal,
      ),
      floatingOf(
        reading,
        found.map(({ id }) => id),
        signal,
      ),
    ])
    const rows = await rowsOf(reading, found, {
      networks,
      floating,
      holdersOf: holderNames(reading, { all: false, signal }),
    })
    const byId = new Map(rows.map((row) => [row.id, row]))
    return new Map(ids.map((id) => [id, byId.get(id) ?? null]))
  },

  // routers, floating IPs and security groups include data from their ports
  shownAs: (row) => [row.device_id, row.device_name, row.status, row.fixed_ips, row.security_groups],
  shownBy: ({ device_id, device_owner, floating_ips, security_groups }) => [
    ...(device_owner.startsWith('network:router_') ? [{ kind: 'router', id: device_id }] : []),
    ...floating_ips.map((id) => ({ kind: 'floating_ip', id })),
    ...security_groups.map((id) => ({ kind: 'security_group', id })),
  ],
  isBusy: (row) => row.device_id !== '' && mayComeUp(row),
}
