import { randomUUID } from 'node:crypto'
import type { FakeCloud, Received, Reply } from './cloud'
import type { FakeNeutron } from './neutron'
import {
  bodyOf,
  unsupportedOption,
  isVisible,
  l4,
  lists,
  none,
  readable,
  oneOf,
  refs,
  refusal,
  seedOf,
  serveOctaviaInfo,
  type FakeOctavia,
  type OctaviaList,
  type OctaviaRow,
} from './octavia-rows'
import { recordedRow } from './recorded-rows'

/**
 * Creates a stateful fake load balancer service: a load balancer accepts one change at a time, which takes a while, and
 * providers reject options that they do not support. https://docs.openstack.org/api-ref/load-balancer/v2/
 */
export function fakeOctavia(cloud: FakeCloud, neutron: FakeNeutron): FakeOctavia {
  const rows = Object.fromEntries(lists.map((list) => [list, new Map()])) as FakeOctavia['rows']
  const octavia: FakeOctavia = {
    ...{ rows, members: new Map(), amphorae: [], quotas: new Map(), settleMs: 5, failing: new Set() },
    add,
    addMember,
  }
  const { members } = octavia
  const time = () => new Date().toISOString().slice(0, 19)

  function add(list: OctaviaList, row: Partial<OctaviaRow>): OctaviaRow {
    const seed = seedOf(list)
    const made = {
      ...seed,
      id: randomUUID(),
      project_id: 'p-demo',
      created_at: time(),
      updated_at: null,
      ...row,
    } as OctaviaRow
    rows[list].set(made.id, made)
    const balancer = refs(made['loadbalancers'])[0] && rows.loadbalancers.get(refs(made['loadbalancers'])[0]!.id)
    if (balancer && (list === 'listeners' || list === 'pools'))
      balancer[list] = [...refs(balancer[list]), { id: made.id }]
    if (list === 'pools') members.set(made.id, [])
    return made
  }

  function addMember(pool: string, member: Record<string, unknown>): OctaviaRow {
    const row = rows.pools.get(pool)!
    const made = {
      ...recordedRow('members'),
      ...{
        id: randomUUID(),
        project_id: row.project_id,
        provisioning_status: 'ACTIVE',
        operating_status: 'NO_MONITOR',
      },
      ...{ name: '', weight: 1, admin_state_up: true, backup: false, subnet_id: null, tags: [] },
      ...{ monitor_address: null, monitor_port: null, created_at: time(), updated_at: null, ...member },
    } as OctaviaRow
    members.get(pool)!.push(made)
    row['members'] = [...refs(row['members']), { id: made.id }]
    return made
  }

  /** Returns the load balancer that a row belongs to. */
  const whose = (row: OctaviaRow): OctaviaRow =>
    rows.loadbalancers.get(refs(row['loadbalancers'])[0]?.id ?? String(row.id))!

  /** Starts a change unless another one is pending. The changed rows stay pending until the change is complete. */
  function change(
    balancer: OctaviaRow,
    parts: readonly (OctaviaRow | undefined)[],
    work: () => Reply,
    done?: () => void,
  ): Reply {
    const { provisioning_status: status } = balancer
    if (status !== 'ACTIVE') return refusal(409, `Load Balancer ${balancer.id} is immutable and cannot be updated.`)
    const reply = work()
    if (reply.status !== undefined && reply.status >= 400) return reply
    const moved = [balancer, ...parts.filter((part) => part !== undefined)]
    for (const one of moved)
      Object.assign(one, {
        provisioning_status: one.provisioning_status === 'PENDING_CREATE' ? 'PENDING_CREATE' : 'PENDING_UPDATE',
        updated_at: time(),
      })
    settle(balancer, moved, done)
    return reply
  }

  function settle(balancer: OctaviaRow, moved: readonly OctaviaRow[], done?: () => void): void {
    const rest = octavia.failing.delete(balancer.id) ? 'ERROR' : 'ACTIVE'
    if (octavia.settleMs === Infinity) return
    setTimeout(() => {
      for (const one of moved) one.provisioning_status = one === balancer || rest === 'ERROR' ? rest : 'ACTIVE'
      done?.()
    }, octavia.settleMs).unref()
  }

  const shown = (list: OctaviaList, { listeners = [], ...row }: OctaviaRow): OctaviaRow => ({
    ...row,
    ...(list === 'loadbalancers' || list === 'pools' ? { listeners } : {}),
    ...(list === 'listeners' && {
      l7policies: [...rows.l7policies.values()].filter((it) => it['listener_id'] === row.id).map(({ id }) => ({ id })),
    }),
  })

  for (const list of lists) readable(cloud, rows, list, shown)

  /** Adds a route for a row that the caller may see. */
  const withRow = (verb: string, list: OctaviaList, rest: string, work: (row: OctaviaRow, call: Received) => Reply) =>
    cloud.on('load-balancer', verb, `/lbaas/${list}/:id${rest}`, (call) => {
      const row = rows[list].get(call.params['id']!)
      return row && isVisible(row, call) ? work(row, call) : none(list, call.params['id']!)
    })
  function makePool(balancer: OctaviaRow, draft: Record<string, unknown>, listener: OctaviaRow | null): OctaviaRow {
    const { healthmonitor, members: drafts = [], loadbalancer_id: _, listener_id: __, ...own } = draft
    const pool = add('pools', {
      ...own,
      ...{ project_id: balancer.project_id, loadbalancers: [{ id: balancer.id }] },
      ...{ provisioning_status: 'PENDING_CREATE', listeners: listener ? [{ id: listener.id }] : [] },
    })
    if (listener) listener['default_pool_id'] = pool.id
    for (const member of drafts as Record<string, unknown>[]) addMember(pool.id, member)
    if (healthmonitor) makeMonitor(pool, healthmonitor as Record<string, unknown>)
    return pool
  }
  function makeMonitor(pool: OctaviaRow, { pool_id: _, ...own }: Record<string, unknown>): OctaviaRow {
    const isHttp = own['type'] === 'HTTP' || own['type'] === 'HTTPS'
    const monitor = add('healthmonitors', {
      ...{ http_method: isHttp ? 'GET' : null, url_path: isHttp ? '/' : null, expected_codes: isHttp ? '200' : null },
      ...own,
      ...{ project_id: pool.project_id, pools: [{ id: pool.id }], provisioning_status: 'ACTIVE' },
    })
    pool['healthmonitor_id'] = monitor.id
    return monitor
  }
  function makeListener(balancer: OctaviaRow, draft: Record<string, unknown>): OctaviaRow {
    const { default_pool, loadbalancer_id: _, ...own } = draft
    const listener = add('listeners', {
      ...own,
      ...{ project_id: balancer.project_id, loadbalancers: [{ id: balancer.id }] },
      provisioning_status: 'PENDING_CREATE',
    })
    if (default_pool) makePool(balancer, default_pool as Record<string, unknown>, listener)
    return listener
  }

  cloud.on('load-balancer', 'POST', '/lbaas/loadbalancers', (call) => {
    const { listeners = [], vip_subnet_id, vip_address, provider = 'amphora', ...own } = bodyOf(call, 'loadbalancer')
    const project_id = call.token!.project!.id
    const limit = octavia.quotas.get(project_id)?.['loadbalancer'] ?? -1
    const used = [...rows.loadbalancers.values()].filter((row) => row.project_id === project_id).length
    if (limit >= 0 && used >= limit) return refusal(403, 'Quota has been met for resources: Load Balancer')
    const subnet = neutron.rows.subnets.get(vip_subnet_id as string)
    if (!subnet) return refusal(400, `Subnet ${String(vip_subnet_id)} not found.`)
    const fake = { id: '', project_id, provisioning_status: 'ACTIVE', provider }
    for (const listener of listeners as Record<string, unknown>[]) {
      const refused =
        unsupportedOption(fake, listener) ??
        unsupportedOption(fake, listener['default_pool'] as Record<string, unknown>)
      if (refused) return refused
    }
    const address = (vip_address as string | undefined) ?? String(subnet['cidr']).replace(/0\/.*$/, '200')
    const id = randomUUID()
    const port = neutron.add('ports', {
      ...{ network_id: subnet['network_id'], project_id, device_id: `lb-${id}`, device_owner: 'Octavia' },
      fixed_ips: [{ subnet_id: subnet.id, ip_address: address }],
    })
    const balancer = add('loadbalancers', {
      ...{
        id,
        project_id,
        provider,
        flavor_id: null,
        listeners: [],
        pools: [],
        provisioning_status: 'PENDING_CREATE',
        ...own,
      },
      ...{ vip_address: address, vip_port_id: port.id, vip_subnet_id, vip_network_id: subnet['network_id'] },
    })
    const made = (listeners as Record<string, unknown>[]).map((draft) => makeListener(balancer, draft))
    settle(balancer, [
      balancer,
      ...made,
      ...made.map((it) => rows.pools.get(it['default_pool_id'] as string)!).filter(Boolean),
    ])
    return { status: 201, body: { loadbalancer: shown('loadbalancers', balancer) } }
  })
  withRow('PUT', 'loadbalancers', '', (row, call) =>
    change(row, [], () => {
      Object.assign(row, bodyOf(call, 'loadbalancer'))
      return { body: { loadbalancer: shown('loadbalancers', row) } }
    }),
  )
  withRow('PUT', 'loadbalancers', '/failover', (row, { token }) => {
    if (!token!.roles.some(({ name }) => name === 'admin'))
      return refusal(403, 'Policy does not allow this request to be performed.')
    if (row['provider'] === 'ovn')
      return refusal(
        501,
        "Provider 'ovn' does not support a requested option: OVN provider does not support loadbalancer failover",
      )
    if (row.provisioning_status.startsWith('PENDING'))
      return refusal(409, `Load Balancer ${row.id} is immutable and cannot be updated.`)
    row.provisioning_status = 'PENDING_UPDATE'
    settle(row, [row])
    return { status: 202 }
  })
  withRow('DELETE', 'loadbalancers', '', (row, { query }) => {
    if (row.provisioning_status.startsWith('PENDING'))
      return refusal(409, `Load Balancer ${row.id} is immutable and cannot be updated.`)
    const parts = [...refs(row['listeners']), ...refs(row['pools'])]
    if (parts.length > 0 && query.get('cascade') !== 'true')
      return refusal(400, `Validation failure: Cannot delete Load Balancer ${row.id} - it has children`)
    Object.assign(row, { provisioning_status: 'PENDING_DELETE', updated_at: time() })
    if (octavia.settleMs !== Infinity)
      setTimeout(() => {
        for (const list of ['listeners', 'pools'] as const) for (const { id } of refs(row[list])) rows[list].delete(id)
        neutron.rows.ports.delete(row['vip_port_id'] as string)
        rows.loadbalancers.delete(row.id)
      }, octavia.settleMs).unref()
    return { status: 204 }
  })

  cloud.on('load-balancer', 'POST', '/lbaas/listeners', (call) => {
    const draft = bodyOf(call, 'listener')
    const balancer = rows.loadbalancers.get(draft['loadbalancer_id'] as string)
    if (!balancer || !isVisible(balancer, call)) return none('loadbalancers', String(draft['loadbalancer_id']))
    const refused = unsupportedOption(balancer, draft)
    if (refused) return refused
    const taken = refs(balancer['listeners']).some(({ id }) => {
      const other = rows.listeners.get(id)!
      return other['protocol_port'] === draft['protocol_port'] && l4(other['protocol']) === l4(draft['protocol'])
    })
    const words = `protocol ${String(draft['protocol'])} and protocol_port ${String(draft['protocol_port'])}`
    if (taken) return refusal(409, `Another Listener on this Load Balancer is already using ${words}`)
    let made: OctaviaRow | undefined
    const begun = change(balancer, [], () => {
      made = makeListener(balancer, draft)
      return { status: 201, body: { listener: shown('listeners', made) } }
    })
    if (made) settle(balancer, [made])
    return begun
  })
  cloud.on('load-balancer', 'POST', '/lbaas/pools', (call) => {
    const draft = bodyOf(call, 'pool')
    const listener = rows.listeners.get(draft['listener_id'] as string) ?? null
    const balancer = rows.loadbalancers.get(draft['loadbalancer_id'] as string)
    if (!balancer || !isVisible(balancer, call)) return none('loadbalancers', String(draft['loadbalancer_id']))
    const refused = unsupportedOption(balancer, draft)
    if (refused) return refused
    let made: OctaviaRow | undefined
    const begun = change(balancer, [listener ?? undefined], () => {
      made = makePool(balancer, draft, listener)
      return { status: 201, body: { pool: made } }
    })
    if (made) settle(balancer, [made])
    return begun
  })
  for (const list of ['listeners', 'pools'] as const) {
    withRow('PUT', list, '', (row, call) => {
      const refused = unsupportedOption(whose(row), bodyOf(call, oneOf(list)))
      if (refused) return refused
      return change(whose(row), [row], () => {
        Object.assign(row, bodyOf(call, oneOf(list)))
        return { body: { [oneOf(list)]: shown(list, row) } }
      })
    })
    withRow('DELETE', list, '', (row) => {
      const balancer = whose(row)
      const isUsed = [...rows.l7policies.values()].some((policy) => policy['redirect_pool_id'] === row.id)
      if (isUsed) return refusal(409, `Pool ${row.id} is in use by L7 policy p`)
      return change(
        balancer,
        [row],
        () => ({ status: 204 }),
        () => {
          rows[list].delete(row.id)
          balancer[list] = refs(balancer[list]).filter(({ id }) => id !== row.id)
          for (const pool of rows.pools.values())
            pool['listeners'] = refs(pool['listeners']).filter(({ id }) => id !== row.id)
          for (const other of rows.listeners.values())
            if (other['default_pool_id'] === row.id) other['default_pool_id'] = null
        },
      )
    })
  }

  cloud.on('load-balancer', 'POST', '/lbaas/healthmonitors', (call) => {
    const draft = bodyOf(call, 'healthmonitor')
    const pool = rows.pools.get(draft['pool_id'] as string)
    if (!pool) return none('pools', String(draft['pool_id']))
    if (pool['healthmonitor_id']) return refusal(409, 'This pool already has a health monitor')
    return change(whose(pool), [pool], () => ({ status: 201, body: { healthmonitor: makeMonitor(pool, draft) } }))
  })
  const poolOfMonitor = (row: OctaviaRow) => rows.pools.get(refs(row['pools'])[0]!.id)!
  withRow('PUT', 'healthmonitors', '', (row, call) =>
    change(whose(poolOfMonitor(row)), [row], () => {
      Object.assign(row, bodyOf(call, 'healthmonitor'))
      return { body: { healthmonitor: row } }
    }),
  )
  withRow('DELETE', 'healthmonitors', '', (row) =>
    change(whose(poolOfMonitor(row)), [], () => {
      poolOfMonitor(row)['healthmonitor_id'] = null
      rows.healthmonitors.delete(row.id)
      return { status: 204 }
    }),
  )
  withRow('GET', 'pools', '/members', ({ id }) => ({ body: { members: members.get(id) ?? [] } }))
  withRow('PUT', 'pools', '/members', (pool, call) =>
    change(whose(pool), [pool], () => {
      const drafts = (call.body as { members: Record<string, unknown>[] }).members
      const before = members.get(pool.id)!
      members.set(pool.id, [])
      pool['members'] = []
      for (const draft of drafts) {
        const known = before.find(
          (it) => it['address'] === draft['address'] && it['protocol_port'] === draft['protocol_port'],
        )
        // fields missing in a member are reset to their defaults
        addMember(pool.id, { ...(known && { id: known.id, operating_status: known['operating_status'] }), ...draft })
      }
      return { status: 202 }
    }),
  )
  const counted = { active_connections: 1, total_connections: 20, bytes_in: 300, bytes_out: 4000, request_errors: 5 }
  for (const list of ['loadbalancers', 'listeners'] as const)
    withRow('GET', list, '/stats', () => ({ body: { stats: counted } }))

  serveOctaviaInfo(cloud, octavia)
  return octavia
}
