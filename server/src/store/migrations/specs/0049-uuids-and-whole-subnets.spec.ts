import { ComputeNode, computeNodeKind } from '@mainstay/contract/compute/nodes'
import { Instance, instanceKind } from '@mainstay/contract/compute/instances'
import { placementKind } from '@mainstay/contract/compute/placements'
import { Network, networkKind } from '@mainstay/contract/networking/networks'
import { Subnet, subnetKind } from '@mainstay/contract/networking/subnets'
import { namedId } from '@mainstay/engines/ports/named-id'
import type { Scope } from '@mainstay/engines/ports/scope'
import type pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createInventory } from '../../../inventory/inventory'
import { testDatabase, testPool, type TestDatabase } from '../../../testing/postgres/postgres'
import { silentLogger } from '../../../testing/silent-logger'
import { migrate } from '../../migrate'
import { openStore } from '../../store'
import { migrations } from '../all'

const NAME = '0049-uuids-and-whole-subnets'
const operator: Scope = {
  ...{ kind: 'system', project_id: 'p-admin', domain_id: 'default', roles: [], request_id: 'r' },
  ...{ user_id: 'u', user_name: 'admin' },
}

let database: TestDatabase
let pool: pg.Pool
beforeEach(async () => {
  database = await testDatabase()
  pool = testPool(database, 2)
  await pool.query('drop schema public cascade')
  await pool.query('create schema public')
  await migrate(
    pool,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === NAME),
    ),
  )
})
afterEach(async () => {
  await pool.end().catch(() => undefined)
  await database.drop()
})

const owner = { project_id: 'p-admin', domain_id: 'default', shared: true, created_at: '2026-01-01T00:00:00.000Z' }
const subnet = {
  ...{ id: 'default-ipv4', name: 'Default network IPv4', network_id: 'default', cidr: '10.20.0.0/16', ip_version: 4 },
  ...{ allocation_pools: [], dns_nameservers: [], gateway_ip: '10.20.0.1', enable_dhcp: true, ...owner },
  ...{ ipv6_ra_mode: null, ipv6_address_mode: null },
}
const network = {
  ...{ id: 'default', name: 'Default network', status: 'ACTIVE', type: 'flat', subnets: ['default-ipv4'], ...owner },
  ...{ ipam_enabled: true, router_external: false, physical_network: null, vlan_id: null, mtu: 1500 },
  ...{ rbac_policies: [], spoofing_protection: true },
}
const node = {
  ...{ id: 'node-1', host: 'here', host_ip: null, state: 'up', traits: ['gold'] },
  hypervisor: { status: 'enabled', hypervisor_type: 'qemu' },
}
const metrics = { cpu_usage: null, mem_usage: null, block_capacity: null, block_usage: null }
const server = {
  ...{ id: '0b5e9a52-3c0f-4a05-93a5-5f1f4a4d2c11', name: 'web', description: '', status: 'ACTIVE', task_state: null },
  ...{
    host_status: 'UP',
    host: 'here',
    volumes: [],
    image_id: null,
    image_name: null,
    os_distro: null,
    key_name: null,
  },
  flavor: { id: 's1.nano', original_name: 's1.nano', vcpus: 1, ram: 128, extra_specs: {} },
  networks: [{ id: 'default', name: 'Default network' }],
  network_data: [
    {
      ...{ port_id: 'port-1', network_id: 'default', network_name: 'Default network', mac_addr: '52:54:00:00:00:01' },
      fixed_ips: [{ subnet_id: 'default-ipv4', ip_address: '10.20.0.10' }],
    },
  ],
  ...{ username: null, fault: null, ha_enabled: true, metadata: {}, tags: [], traits: [], max_vcpu: null },
  ...{ max_mem: null, allow_live_resize: false, allow_set_password: false, has_pci_devices: false },
  statistics: { metrics },
  ...{ project_id: 'p', domain_id: 'default', user_id: 'u' },
  ...{ created: '2026-01-01T00:00:00.000Z', updated: '2026-01-01T00:00:00.000Z' },
}

it('a database of before keeps its nodes, networks and instances, under UUIDs and in the new shape', async () => {
  const placement = { id: 'gold', name: 'gold', description: '', isolated: false, nodes: ['node-1'], images: [] }
  const rows = { compute_node: node, subnet, network, server, placement: { ...placement, flavors: [] } }
  const derived = { network_ids: ['default'], ip_addresses: ['10.20.0.10'], addresses: '10.20.0.10' }
  for (const [kind, body] of Object.entries(rows))
    await pool.query('insert into resource (kind, id, revision, body, derived) values ($1, $2, 1, $3, $4)', [
      ...[kind, body.id, JSON.stringify(body)],
      kind === 'server' ? JSON.stringify({ ...derived, taken: { vcpus: 1, ram: 128 } }) : null,
    ])
  const notes: [string, string, object][] = [
    ['address', 'default/10.20.0.10', { port_id: 'port-1' }],
    ['port', 'port-1', { server_id: server.id, addresses: ['default/10.20.0.10'], mac: '52:54:00:00:00:01' }],
    ['subnet', 'default-ipv4', { next: 1 }],
  ]
  for (const note of notes) await pool.query('insert into private_record (kind, id, data) values ($1, $2, $3)', note)

  // what an upgraded server does as it starts; twice changes nothing more
  const [networkId, subnetId, nodeId] = [namedId('default'), namedId('default-ipv4'), namedId('node-1')]
  const store = await openStore({ databaseUrl: database.url, dataFolder: '/nowhere', log: silentLogger })
  const inventory = await createInventory({ store, log: silentLogger })
  try {
    const whole = { ...subnet, id: subnetId, network_id: networkId }
    expect(await inventory.view(subnetKind, operator, subnetId)).toEqual(Subnet.parse(whole))
    const network = await inventory.view(networkKind, operator, networkId)
    expect(Network.parse(network)).toMatchObject({ id: networkId, subnets: [whole], default_vnic_type: 'normal' })
    expect(ComputeNode.parse(await inventory.view(computeNodeKind, operator, nodeId))).toMatchObject({ id: nodeId })
    const found = await inventory.list(instanceKind, operator, { limit: 5, network_id: networkId })
    expect(found.data.map((row) => Instance.parse(row))).toMatchObject([
      {
        networks: [{ id: networkId, name: 'Default network', ips: ['10.20.0.10'] }],
        network_data: [{ id: 'port-1', port_id: 'port-1', network_id: networkId, spoofing_protection: true }],
      },
    ])
    const carried = await inventory.list(placementKind, operator, { limit: 5, nodes: nodeId })
    expect(carried.data).toMatchObject([{ nodes: [nodeId] }])
    const { rows: kept } = await pool.query('select kind, id, data from private_record order by kind')
    expect(kept).toMatchObject([
      { kind: 'address', id: `${networkId}/10.20.0.10` },
      { kind: 'port', id: 'port-1', data: { addresses: [`${networkId}/10.20.0.10`] } },
      { kind: 'subnet', id: subnetId, data: { next: 1 } },
    ])
  } finally {
    inventory.close()
    await store.close()
  }
})
