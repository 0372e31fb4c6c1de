import { randomUUID } from 'node:crypto'
import type { FakeCloud, Received, Reply } from './cloud'
import { pageOfRows } from './lists'
import { neutronRefusal } from './refusals'

/** A row in the format of the network API. */
export interface NeutronRow {
  id: string
  project_id: string
  [field: string]: unknown
}

const lists = [
  ...(['networks', 'subnets', 'ports', 'routers', 'floatingips', 'security-groups', 'security-group-rules'] as const),
  ...(['rbac-policies', 'subnetpools', 'trunks', 'agents', 'extensions'] as const),
] as const
type List = (typeof lists)[number]

export interface FakeNeutron {
  rows: Record<List, Map<string, NeutronRow>>
  /** Adds a row, as if another client had created it. */
  add(list: List, row?: Partial<NeutronRow>): NeutronRow
  /** Requests since the previous call, without sign-ins, such as `GET /ports`. */
  calls(): string[]
}

const keyOf = (list: string) => list.replaceAll('-', '_')
const oneOf = (list: string) => (list === 'rbac-policies' ? 'rbac_policy' : keyOf(list).replace(/s$/, ''))

const usual: Partial<Record<List, () => Record<string, unknown>>> = {
  networks: () => ({ status: 'ACTIVE', 'router:external': false, 'provider:network_type': 'geneve', mtu: 1442 }),
  subnets: () => ({ ip_version: 4, enable_dhcp: true, allocation_pools: [], dns_nameservers: [], gateway_ip: null }),
  ports: () => ({
    ...{ status: 'DOWN', admin_state_up: true, mac_address: 'fa:16:3e:00:00:01', fixed_ips: [] },
    ...{ device_id: '', device_owner: '', security_groups: [], tags: [] },
  }),
  routers: () => ({ status: 'ACTIVE', external_gateway_info: null, routes: [] }),
  floatingips: () => ({
    floating_ip_address: '203.0.113.7',
    status: 'DOWN',
    port_id: null,
    fixed_ip_address: null,
    router_id: null,
  }),
  'security-groups': () => ({ name: 'group', security_group_rules: [] }),
}

/**
 * Creates a fake network service with one table per list, filters, pagination, and router interfaces:
 * https://docs.openstack.org/api-ref/network/v2/. It validates nothing; tests add the error responses they need.
 */
export function fakeNeutron(cloud: FakeCloud): FakeNeutron {
  const rows = Object.fromEntries(lists.map((list) => [list, new Map()])) as FakeNeutron['rows']
  let seen = cloud.received.length
  let count = 0

  const add: FakeNeutron['add'] = (list, row = {}) => {
    count++
    const time = `2026-11-21T20:00:${String(count % 60).padStart(2, '0')}Z`
    const made: NeutronRow = {
      ...{ id: randomUUID(), name: '', description: '', project_id: 'p-demo', created_at: time, updated_at: time },
      ...usual[list]?.(),
      ...row,
    }
    // assign addresses that the caller did not specify
    const addresses = made['fixed_ips'] as { ip_address?: string }[] | undefined
    for (const one of addresses ?? []) one.ip_address ??= `10.0.0.${count}`
    rows[list].set(made.id, made)
    return made
  }

  const none = (list: string, id: string) => neutronRefusal(404, `${oneOf(list)}NotFound`, `${id} could not be found.`)
  const told = (list: List, row: NeutronRow): NeutronRow =>
    list === 'security-groups'
      ? {
          ...row,
          security_group_rules: [...rows['security-group-rules'].values()].filter(
            (it) => it['security_group_id'] === row.id,
          ),
        }
      : row

  for (const list of lists) {
    const path = `/${list}`
    cloud.on('network', 'GET', path, ({ query }) => {
      const found = [...rows[list].values()].filter((row) => fits(row, query)).map((row) => told(list, row))
      return {
        body: pageOfRows({
          ...{ service: 'network', key: keyOf(list), rows: found, query, mostRows: 1000 },
          href: `${cloud.endpoints.network}${path}`,
        }),
      }
    })
    cloud.on('network', 'POST', path, ({ body, token }) => {
      const draft = (body as Record<string, Partial<NeutronRow>>)[oneOf(list)]!
      const row = add(list, { project_id: token!.project!.id, ...draft })
      return { status: 201, body: { [oneOf(list)]: told(list, row) } }
    })
    const withRow = (verb: string, work: (row: NeutronRow, call: Received) => Reply) =>
      cloud.on('network', verb, `${path}/:id`, (call) => {
        const row = rows[list].get(call.params['id']!)
        return row ? work(row, call) : none(list, call.params['id']!)
      })
    withRow('GET', (row) => ({ body: { [oneOf(list)]: told(list, row) } }))
    withRow('PUT', (row, { body }) => {
      const { external_gateway_info: gateway, ...change } = (body as Record<string, Record<string, unknown>>)[
        oneOf(list)
      ]!
      const cleared = gateway && Object.keys(gateway).length === 0 ? null : gateway
      Object.assign(row, change, gateway !== undefined && { external_gateway_info: cleared })
      return { body: { [oneOf(list)]: told(list, row) } }
    })
    withRow('DELETE', (row) => {
      rows[list].delete(row.id)
      if (list === 'networks')
        for (const subnet of [...rows.subnets.values()])
          if (subnet['network_id'] === row.id) rows.subnets.delete(subnet.id)
      return { status: 204 }
    })
  }
  cloud.on('network', 'PUT', '/ports/:id/tags', ({ params, body }) => {
    Object.assign(rows.ports.get(params['id']!)!, body)
    return { body: body as object }
  })
  connectRouters(cloud, { rows, add })
  return {
    rows,
    add,
    calls() {
      const calls = cloud.received
        .slice(seen)
        .filter(({ service }) => service !== 'identity')
        .map(({ verb, path }) => `${verb} ${path}`)
      seen = cloud.received.length
      return calls
    },
  }
}

/** Whether a row matches a query. A query field with several values matches any of them. */
function fits(row: NeutronRow, query: URLSearchParams): boolean {
  const asked = [...new Set(query.keys())].filter(
    (name) => !['limit', 'marker', 'fields', 'object_type'].includes(name),
  )
  return asked.every((name) => {
    const wanted = query.getAll(name)
    const has = (row[name] ?? '') as string | string[]
    return [has].flat().some((it) => wanted.includes(String(it)))
  })
}

function connectRouters(cloud: FakeCloud, { rows, add }: Pick<FakeNeutron, 'rows' | 'add'>): void {
  cloud.on('network', 'PUT', '/routers/:id/add_router_interface', ({ params, body }) => {
    const { subnet_id, port_id } = body as { subnet_id?: string; port_id?: string }
    const router = rows.routers.get(params['id']!)
    if (!router) return neutronRefusal(404, 'RouterNotFound', `Router ${params['id']} could not be found`)
    const device = { device_id: router.id, device_owner: 'network:router_interface', status: 'ACTIVE' }
    const subnet = rows.subnets.get(subnet_id ?? '')
    const port = subnet
      ? add('ports', {
          ...device,
          network_id: subnet['network_id'],
          project_id: router.project_id,
          fixed_ips: [{ subnet_id: subnet.id, ip_address: subnet['gateway_ip'] }],
        })
      : Object.assign(rows.ports.get(port_id!)!, device)
    return { body: { id: router.id, port_id: port.id } }
  })
  cloud.on('network', 'PUT', '/routers/:id/remove_router_interface', ({ params, body }) => {
    const { port_id } = body as { port_id: string }
    if (!rows.ports.delete(port_id))
      return neutronRefusal(
        404,
        'RouterInterfaceNotFound',
        `Router ${params['id']} does not have an interface with id ${port_id}`,
      )
    return { body: { id: params['id'] } }
  })
}
