import type { FakeCloud, Received, Reply } from './cloud'
import { pageOfRows } from './lists'
import { recordedRow } from './recorded-rows'

/* Data and read requests of the fake load balancer service. For its commands, see `octavia.ts`. */

/** A row in the format of the load balancer API. */
export interface OctaviaRow {
  id: string
  project_id: string
  provisioning_status: string
  [field: string]: unknown
}

export const lists = [
  'loadbalancers',
  'listeners',
  'pools',
  'healthmonitors',
  'l7policies',
  'flavors',
  'flavorprofiles',
] as const
export type OctaviaList = (typeof lists)[number]
export const oneOf = (list: string) => (list === 'l7policies' ? 'l7policy' : list.replace(/s$/, ''))
export type Ref = { id: string }

export interface FakeOctavia {
  rows: Record<OctaviaList, Map<string, OctaviaRow>>
  members: Map<string, OctaviaRow[]>
  amphorae: Record<string, unknown>[]
  quotas: Map<string, Record<string, number>>
  /** Milliseconds until a change is complete; Infinity means never. */
  settleMs: number
  /** IDs of load balancers whose next change fails in the provider. */
  failing: Set<string>
  /** Adds a row, as if another client had created it. */
  add(list: OctaviaList, row: Partial<OctaviaRow>): OctaviaRow
  addMember(pool: string, member: Record<string, unknown>): OctaviaRow
}

export const refusal = (status: number, faultstring: string): Reply => ({
  status,
  body: { faultcode: status < 500 ? 'Client' : 'Server', faultstring, debuginfo: null },
})
export const refs = (value: unknown): Ref[] => (value ?? []) as Ref[]

/** Returns the transport protocol of a listener. Only listeners with the same transport protocol compete for a port. */
export const l4 = (protocol: unknown) => (protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP')
export const bodyOf = ({ body }: Received, name: string) => (body as Record<string, Record<string, unknown>>)[name]!

const unsupported = (words: string) =>
  refusal(501, `Provider 'ovn' does not support a requested option: OVN provider does not support ${words}`)
/**
 * Returns the error for an option that the provider of a load balancer does not support, or null if it supports all.
 */
export function unsupportedOption({ provider }: OctaviaRow, body: Record<string, unknown>): Reply | null {
  if (provider !== 'ovn') return null
  const { protocol, lb_algorithm, allowed_cidrs } = body
  if (protocol !== undefined && !['TCP', 'UDP', 'SCTP'].includes(protocol as string))
    return unsupported(`${protocol as string} protocol`)
  if (lb_algorithm !== undefined && lb_algorithm !== 'SOURCE_IP_PORT')
    return unsupported(`${lb_algorithm as string} algorithm`)
  return (allowed_cidrs as unknown[] | undefined)?.length ? unsupported('allowed_cidrs option') : null
}

export const none = (list: string, id: string) => refusal(404, `${oneOf(list)} ${id} not found.`)
export const isVisible = (row: OctaviaRow, { token }: Received) =>
  token!.roles.some(({ name }) => name === 'admin') || row.project_id === token!.project?.id

/** Serves a list and its rows to callers who may see them. */
export function readable(
  cloud: FakeCloud,
  rows: FakeOctavia['rows'],
  list: OctaviaList,
  shown: (list: OctaviaList, row: OctaviaRow) => OctaviaRow,
): void {
  const path = `/lbaas/${list}`
  cloud.on('load-balancer', 'GET', path, (call) => {
    const balancer = call.query.get('loadbalancer_id')
    const tags = call.query.getAll('tags')
    const found = [...rows[list].values()]
      .filter((row) => isVisible(row, call))
      .filter((row) => balancer === null || refs(row['loadbalancers']).some(({ id }) => id === balancer))
      .filter((row) => tags.every((tag) => (row['tags'] as string[]).includes(tag)))
      .map((row) => shown(list, row))
    const href = `${cloud.endpoints['load-balancer']}${path}`
    return {
      body: pageOfRows({ service: 'load-balancer', key: list, rows: found, query: call.query, mostRows: 1000, href }),
    }
  })
  cloud.on('load-balancer', 'GET', `${path}/:id`, (call) => {
    const row = rows[list].get(call.params['id']!)
    return row && isVisible(row, call) ? { body: { [oneOf(list)]: shown(list, row) } } : none(list, call.params['id']!)
  })
}

/** Returns a row recorded from a real cloud, or nothing if none was recorded. */
const recordedOf = (list: OctaviaList): Record<string, unknown> =>
  list === 'l7policies' || list === 'flavors' || list === 'flavorprofiles' ? {} : recordedRow(list)

/** Defaults that replace values specific to the recorded row. */
const usual: Record<OctaviaList, Record<string, unknown>> = {
  loadbalancers: {
    ...{ name: '', description: '', provisioning_status: 'ACTIVE', operating_status: 'ONLINE', admin_state_up: true },
    ...{ listeners: [], pools: [], flavor_id: null, provider: 'amphora', tags: [] },
  },
  listeners: {
    ...{ name: '', description: '', provisioning_status: 'ACTIVE', operating_status: 'ONLINE', admin_state_up: true },
    ...{
      default_pool_id: null,
      insert_headers: {},
      allowed_cidrs: null,
      connection_limit: -1,
      l7policies: [],
      tags: [],
    },
    ...{ default_tls_container_ref: null, client_ca_tls_container_ref: null, sni_container_refs: [] },
  },
  pools: {
    ...{ name: '', description: '', provisioning_status: 'ACTIVE', operating_status: 'ONLINE', admin_state_up: true },
    ...{ healthmonitor_id: null, session_persistence: null, members: [], listeners: [], tls_enabled: false, tags: [] },
    ...{ lb_algorithm: 'ROUND_ROBIN' },
  },
  healthmonitors: {
    name: '',
    provisioning_status: 'ACTIVE',
    operating_status: 'ONLINE',
    admin_state_up: true,
    tags: [],
  },
  l7policies: {
    provisioning_status: 'ACTIVE',
    operating_status: 'ONLINE',
    admin_state_up: true,
    redirect_pool_id: null,
  },
  flavors: { description: '', enabled: true },
  flavorprofiles: {},
}

/** Returns the initial fields of a new row. */
export const seedOf = (list: OctaviaList): Record<string, unknown> => ({ ...recordedOf(list), ...usual[list] })

/** Serves providers, amphorae and quotas. */
export function serveOctaviaInfo(cloud: FakeCloud, octavia: FakeOctavia): void {
  const providers = [
    { name: 'amphora', description: 'The Octavia Amphora driver.' },
    { name: 'ovn', description: 'OVN load balancing' },
  ]
  cloud.on('load-balancer', 'GET', '/lbaas/providers', () => ({ body: { providers } }))
  cloud.on('load-balancer', 'GET', '/octavia/amphorae', ({ query, token }) => {
    if (!token!.roles.some(({ name }) => name === 'admin'))
      return refusal(403, 'Policy does not allow this request to be performed.')
    const one = query.get('loadbalancer_id')
    return {
      body: { amphorae: octavia.amphorae.filter(({ loadbalancer_id }) => one === null || one === loadbalancer_id) },
    }
  })
  const unlimited = { loadbalancer: -1, load_balancer: -1, listener: -1, pool: -1, member: -1, healthmonitor: -1 }
  cloud.on('load-balancer', 'GET', '/lbaas/quotas/:id', ({ params }) => ({
    body: { quota: { ...unlimited, ...octavia.quotas.get(params['id']!) } },
  }))
  cloud.on('load-balancer', 'PUT', '/lbaas/quotas/:id', ({ params, body }) => {
    const { quota } = body as { quota: Record<string, number> }
    octavia.quotas.set(params['id']!, { ...octavia.quotas.get(params['id']!), ...quota })
    return { status: 202, body: { quota: { ...unlimited, ...quota } } }
  })
}
