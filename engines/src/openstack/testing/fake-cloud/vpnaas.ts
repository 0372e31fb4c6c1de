import { randomUUID } from 'node:crypto'
import type { FakeCloud, Received, Reply } from './cloud'
import { pageOfRows } from './lists'
import type { FakeNeutron } from './neutron'
import { neutronRefusal } from './refusals'

/** A row in the format of the VPN API. */
export interface VpnRow {
  id: string
  project_id: string
  [field: string]: unknown
}
const names = {
  vpnservices: 'vpnservice',
  ikepolicies: 'ikepolicy',
  ipsecpolicies: 'ipsecpolicy',
  'endpoint-groups': 'endpoint_group',
  'ipsec-site-connections': 'ipsec_site_connection',
} as const
export type VpnList = keyof typeof names
const lists = Object.keys(names) as VpnList[]

export interface FakeVpnaas {
  rows: Record<VpnList, Map<string, VpnRow>>
  quotas: Map<string, number>
  /** Milliseconds until an agent applies a change; Infinity means that there is no agent. */
  settleMs: number
  /** Final status of connections. */
  outcome: 'ACTIVE' | 'DOWN' | 'ERROR'
  /** Adds a row, as if another client had created it. */
  add(list: VpnList, row?: Partial<VpnRow>): VpnRow
}

const policy = { auth_algorithm: 'sha1', encryption_algorithm: 'aes-128', pfs: 'group5', lifetime: {} }
const usual: Record<VpnList, Record<string, unknown>> = {
  vpnservices: { status: 'PENDING_CREATE', subnet_id: null, admin_state_up: true, flavor_id: null },
  ikepolicies: { ...policy, ike_version: 'v1', phase1_negotiation_mode: 'main' },
  ipsecpolicies: { ...policy, transform_protocol: 'esp', encapsulation_mode: 'tunnel' },
  'endpoint-groups': {},
  'ipsec-site-connections': {
    ...{ status: 'PENDING_CREATE', admin_state_up: true, initiator: 'bi-directional', mtu: 1500, auth_mode: 'psk' },
    ...{ route_mode: 'static', peer_cidrs: [], local_ep_group_id: null, peer_ep_group_id: null, local_id: '' },
  },
}
const naming: Partial<Record<VpnList, [fields: string[], fault: string, status: number]>> = {
  vpnservices: [['vpnservice_id'], 'VPNServiceInUse', 409],
  ikepolicies: [['ikepolicy_id'], 'IKEPolicyInUse', 409],
  ipsecpolicies: [['ipsecpolicy_id'], 'IPsecPolicyInUse', 409],
  'endpoint-groups': [['local_ep_group_id', 'peer_ep_group_id'], 'EndpointGroupInUse', 400],
}

/**
 * Creates a stateful fake of VPNaaS: https://docs.openstack.org/api-ref/network/v2/#vpnaas-2-0. A connection is
 * returned with its pre-shared key unless the query selects other fields.
 */
export function fakeVpnaas(cloud: FakeCloud, neutron: FakeNeutron): FakeVpnaas {
  const rows = Object.fromEntries(lists.map((list) => [list, new Map()])) as FakeVpnaas['rows']
  const vpnaas: FakeVpnaas = { rows, quotas: new Map(), settleMs: 5, outcome: 'DOWN', add }
  for (const alias of ['vpnaas', 'vpn-endpoint-groups']) neutron.add('extensions', { alias })

  function add(list: VpnList, row: Partial<VpnRow> = {}): VpnRow {
    const made: VpnRow = { id: randomUUID(), project_id: 'p-demo', name: '', description: '', ...usual[list], ...row }
    const lifetime = made['lifetime'] as object | undefined
    if (lifetime) made['lifetime'] = { units: 'seconds', value: 3600, ...lifetime }
    rows[list].set(made.id, made)
    return made
  }

  const shown = (list: VpnList, row: VpnRow, query: URLSearchParams): VpnRow => {
    const fields = query.getAll('fields')
    const whole = Object.entries({ ...row, tenant_id: row.project_id })
    return Object.fromEntries(whole.filter(([name]) => fields.length === 0 || fields.includes(name))) as VpnRow
  }
  const isVisible = (row: VpnRow, { token }: Received) =>
    token!.roles.some(({ name }) => name === 'admin') || row.project_id === token!.project?.id
  const usersOf = (list: VpnList, id: string) =>
    [...rows['ipsec-site-connections'].values()].filter((it) => naming[list]?.[0].some((field) => it[field] === id))
  const inUse = (list: VpnList, id: string): Reply | null => {
    const [, fault, status] = naming[list] ?? []
    return fault && usersOf(list, id).length > 0
      ? neutronRefusal(status!, fault, `${names[list]} ${id} is in use`)
      : null
  }
  const none = (list: VpnList, id: string) =>
    neutronRefusal(404, `${names[list]}NotFound`, `${names[list]} ${id} not found`)

  /** Simulates the agent, which applies a VPN service and its connections. */
  function settle(service: VpnRow): void {
    if (vpnaas.settleMs === Infinity) return
    setTimeout(() => {
      service['status'] = 'ACTIVE'
      for (const row of rows['ipsec-site-connections'].values())
        if (row['vpnservice_id'] === service.id) row['status'] = vpnaas.outcome
    }, vpnaas.settleMs).unref()
  }

  function faultOf(list: VpnList, draft: Record<string, unknown>): Reply | null {
    if (list === 'vpnservices') {
      const router = neutron.rows.routers.get(String(draft['router_id']))
      if (!router)
        return neutronRefusal(404, 'RouterNotFound', `Router ${String(draft['router_id'])} could not be found`)
      if (!router['external_gateway_info'])
        return neutronRefusal(400, 'RouterIsNotExternal', `Router ${router.id} has no external network gateway set`)
    }
    if (list !== 'ipsec-site-connections') return null
    const { dpd, peer_address } = draft as { dpd?: { interval: number; timeout: number }; peer_address?: string }
    if (dpd && dpd.timeout <= dpd.interval)
      return neutronRefusal(
        400,
        'IPsecSiteConnectionDpdIntervalValueError',
        'ipsec_site_connection dpd_timeout is equal to or less than dpd_interval',
      )
    return peer_address?.endsWith('.invalid')
      ? neutronRefusal(400, 'VPNPeerAddressNotResolved', `Peer address ${peer_address} cannot be resolved`)
      : null
  }

  for (const list of lists) {
    const [path, one, key] = [`/vpn/${list}`, names[list], list.replaceAll('-', '_')]
    cloud.on('network', 'GET', path, (call) => {
      const { query } = call
      const [ids, router] = [query.getAll('id'), query.get('router_id')]
      const found = [...rows[list].values()]
        .filter((row) => isVisible(row, call) && (ids.length === 0 || ids.includes(row.id)))
        .filter((row) => router === null || row['router_id'] === router)
        .map((row) => shown(list, row, query))
      const href = `${cloud.endpoints.network}${path}`
      return { body: pageOfRows({ service: 'network', key, rows: found, query, mostRows: 1000, href }) }
    })
    cloud.on('network', 'POST', path, ({ body, token }) => {
      const draft = (body as Record<string, Record<string, unknown>>)[one]!
      const project_id = token!.project!.id
      const limit = vpnaas.quotas.get(one) ?? -1
      const used = [...rows[list].values()].filter((row) => row.project_id === project_id).length
      if (limit >= 0 && used >= limit)
        return neutronRefusal(409, 'OverQuota', `Quota exceeded for resources: ['${one}'].`)
      const fault = faultOf(list, draft)
      if (fault) return fault
      const row = add(list, { project_id, ...draft })
      if (list === 'vpnservices') {
        const gateway = neutron.rows.routers.get(row['router_id'] as string)!['external_gateway_info']
        const [first] = (gateway as { external_fixed_ips?: { ip_address: string }[] }).external_fixed_ips ?? []
        Object.assign(row, { external_v4_ip: first?.ip_address ?? null, external_v6_ip: null })
      }
      if (list === 'ipsec-site-connections') settle(rows.vpnservices.get(row['vpnservice_id'] as string)!)
      return { status: 201, body: { [one]: shown(list, row, new URLSearchParams()) } }
    })
    const withRow = (verb: string, work: (row: VpnRow, call: Received) => Reply) =>
      cloud.on('network', verb, `${path}/:id`, (call) => {
        const row = rows[list].get(call.params['id']!)
        return row && isVisible(row, call) ? work(row, call) : none(list, call.params['id']!)
      })
    withRow('GET', (row, { query }) => ({ body: { [one]: shown(list, row, query) } }))
    withRow('PUT', (row, { body }) => {
      const draft = (body as Record<string, Record<string, unknown>>)[one]!
      const fault = list.endsWith('policies') ? inUse(list, row.id) : faultOf(list, draft)
      if (fault) return fault
      if (String(row['status']).startsWith('PENDING'))
        return neutronRefusal(
          400,
          'VPNStateInvalidToUpdate',
          `Invalid state ${String(row['status'])} of vpnaas resource ${row.id} for updating`,
        )
      Object.assign(row, draft)
      return { body: { [one]: shown(list, row, new URLSearchParams()) } }
    })
    withRow('DELETE', (row) => {
      const used = inUse(list, row.id)
      if (used) return used
      rows[list].delete(row.id)
      return { status: 204 }
    })
  }
  return vpnaas
}
