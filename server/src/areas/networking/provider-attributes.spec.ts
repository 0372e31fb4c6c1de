import { networks } from '@mainstay/contract/networking/networks'
import { networkService } from '@mainstay/contract/networking/network-service'
import { ports } from '@mainstay/contract/networking/ports'
import type { Grants } from '@mainstay/contract/permissions'
import type { NetworksPort } from '@mainstay/engines/ports/networking'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LooseCall } from '../../http/serve'
import type { Tools } from '../../tools'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'
import { networkRoutes } from './networks.routes'

/* Who may set the physical network, the VLAN and the host of an object, for every call that accepts them. */

const tenants: PersonaName[] = [
  'project-member',
  'project-admin',
  'domain-admin@alpha-one',
  'service-account@alpha-one',
]
const readers: PersonaName[] = ['viewer']
const operators: PersonaName[] = ['superuser', 'compute-operator']

let server: TestServer
let ownNetwork: string
let ownPort: string
beforeAll(async () => {
  server = await startServer()
  const as = 'project-member'
  const body = { name: 'backend', subnets: [{ cidr: '192.168.77.0/24' }] }
  ownNetwork = (await server.call(networks.createPrivate, { as, body })).id
  ownPort = (await server.call(ports.create, { as, body: { network_id: ownNetwork } })).id
})
afterAll(() => server.close())

const flat = { name: 'office', physical_network: 'public' }
const vlan = { name: 'lab', vlan_network: 'public', vlan_id: 42 }
const attempts = {
  'an infrastructure network': { call: networks.createPublic, body: flat },
  'a VLAN through the call for external networks': { call: networks.createPublic, body: vlan },
  'a VLAN through its own call': { call: networks.createVlan, body: vlan },
} as const

describe('the physical network and the VLAN', () => {
  it.for(Object.entries(attempts))('only operators can create %s', async ([, { call, body }]) => {
    for (const as of [...tenants, ...readers]) {
      const refused = await server.fetch(call as typeof networks.createPublic, { as, body })
      expect([as, refused.status, ((await refused.json()) as { error: { err_code: string } }).error.err_code]).toEqual([
        as,
        403,
        'forbidden',
      ])
    }
    expect((await server.fetch(call as typeof networks.createPublic, { body })).status).toBe(401)
  })

  it('can be set by compute operators', async () => {
    for (const [at, as] of operators.entries()) {
      const made = [
        await server.fetch(networks.createPublic, { as, body: { ...flat, name: `office-${at}` } }),
        await server.fetch(networks.createPublic, { as, body: { ...vlan, name: `lab-${at}`, vlan_id: 50 + 2 * at } }),
        await server.fetch(networks.createVlan, { as, body: { ...vlan, name: `lab-${at}b`, vlan_id: 51 + 2 * at } }),
      ]
      expect(made.map(({ status }) => status)).toEqual([202, 202, 202])
    }
  })

  it('require the VLAN permission in addition to the permission for external networks', async () => {
    const asked: string[] = []
    const port: Partial<NetworksPort> = {
      createPublic: async () => (asked.push('public'), {}) as never,
      createVlan: async () => (asked.push('vlan'), {}) as never,
    }
    const { handle } = networkRoutes.find(({ endpoint }) => endpoint === networks.createPublic)!
    const tools = { ports: { networking: { networks: port } } } as unknown as Tools
    const create = async (grants: Grants, body: object) => {
      const scope = { kind: 'system', project_id: 'admin', domain_id: 'default' }
      return handle({ scope, caller: { grants }, params: {}, query: {}, body } as unknown as LooseCall, tools)
    }
    const onlyPublic: Grants = { compute_public_networks: 'CR' }
    await expect(create(onlyPublic, vlan)).rejects.toMatchObject({ code: 'forbidden' })
    await create(onlyPublic, flat)
    await create({ ...onlyPublic, compute_vlan_networks: 'C' }, vlan)
    expect(asked).toEqual(['public', 'vlan'])
  })

  it('are refused when a private network is created or updated', async () => {
    const as = 'project-member'
    const said = [{ physical_network: 'public' }, { vlan_network: 'public' }, { vlan_id: 7 }, { router_external: true }]
    for (const more of said) {
      const body = { name: 'sly', ...more }
      await expect(server.call(networks.createPrivate, { as, body })).rejects.toMatchObject({ code: 'validation' })
      await expect(
        server.call(networks.update, { as, params: { id: ownNetwork }, body: more as object }),
      ).rejects.toMatchObject({ code: 'validation' })
    }
    const policies = { rbac_policies: [{ target_project: '*', actions: ['direct' as const] }] }
    await expect(
      server.call(networks.update, { as, params: { id: ownNetwork }, body: policies }),
    ).rejects.toMatchObject({ fields: { rbac_policies: [expect.any(String)] } })
  })

  it('are listed for operators only', async () => {
    for (const as of tenants) expect((await server.fetch(networkService.physicalNetworks, { as })).status).toBe(404)
    for (const as of operators)
      expect((await server.call(networkService.physicalNetworks, { as })).data).toMatchObject([
        // the embedded engine does not connect physical interfaces to guest networks and reports this
        { id: 'public', vlans: true, host_only: true },
      ])
    expect(await server.call(networks.view, { as: 'project-member', params: { id: ownNetwork } })).not.toHaveProperty(
      'physical_network',
    )
  })
})

describe('a port’s host and device', () => {
  const said = [{ 'binding:host_id': 'node-1' }, { device_id: 'x' }, { device_owner: 'own:device' }] as const
  it.for(said)('%o can be set by operators only, both when creating and when updating', async (words) => {
    const [field] = Object.keys(words) as [string]
    for (const as of tenants) {
      const body = { network_id: ownNetwork, ...words }
      await expect(server.call(ports.create, { as, body })).rejects.toMatchObject({
        fields: { [field]: expect.any(Array) },
      })
      for (const call of [ports.update, ports.put])
        await expect(
          server.call(call as typeof ports.update, { as, params: { id: ownPort }, body: words }),
        ).rejects.toMatchObject({ fields: { [field]: expect.any(Array) } })
    }
    const params = { id: ownPort }
    expect((await server.fetch(ports.update, { as: 'superuser', params, body: words })).status).toBe(200)
    await server.call(ports.update, { as: 'superuser', params, body: { [field]: '' } })
  })

  it('are hidden from projects in rows and filters', async () => {
    const params = { id: ownPort }
    await server.call(ports.update, { as: 'superuser', params, body: { 'binding:host_id': 'node-1' } })
    expect(await server.call(ports.view, { as: 'superuser', params })).toMatchObject({ 'binding:host_id': 'node-1' })
    expect(await server.call(ports.view, { as: 'project-member', params })).not.toHaveProperty('binding:host_id')
    const found = await server.fetch(ports.list, { as: 'project-member', query: { 'binding:host_id': 'node-1' } })
    expect(found.status === 200 ? ((await found.json()) as { data: unknown[] }).data : []).toEqual([])
  })
})
