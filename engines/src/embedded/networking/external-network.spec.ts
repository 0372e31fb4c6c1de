import { FloatingIpDraft } from '@mainstay/contract/networking/floating-ips'
import { PrivateNetworkDraft, PublicNetworkDraft, type Network } from '@mainstay/contract/networking/networks'
import { RouterDraft } from '@mainstay/contract/networking/routers'
import { afterEach, expect, test } from 'vitest'
import { memberOf, openSimulatedCloud, operator, type SimulatedCloud } from '../testing/embedded-cloud'
import { firstExternalNetworkId } from './external-network'

const scope = memberOf('ours')
const how = { vlanInterfaces: true }
let cloud: SimulatedCloud
afterEach(() => cloud.close())

const external = () => cloud.memory.all<Network>('network').filter(({ router_external }) => router_external)
/** Restarts the same installation. */
async function restart() {
  const { memory, folder, engine, server } = cloud
  await server.idle()
  await engine.close()
  server.kill()
  cloud = await openSimulatedCloud({ memory, folder })
}

test('in a new installation, projects get external access and floating IPs without an operator’s help', async () => {
  cloud = await openSimulatedCloud()
  expect(external()).toMatchObject([
    {
      ...{ id: firstExternalNetworkId, name: 'public', status: 'ACTIVE', shared: false, project_id: 'admin' },
      rbac_policies: [{ target_project: '*', actions: ['routed'] }],
    },
  ])
  const { networks, routers, floatingIps } = cloud.networking
  const draft = PrivateNetworkDraft.parse({ name: 'inner', subnets: [{ cidr: '192.168.0.0/24' }] })
  const inner = await networks.createPrivate(scope, draft)
  const router = await routers.create(
    scope,
    RouterDraft.parse({
      ...{ name: 'edge', external_gateway_info: { network_id: firstExternalNetworkId } },
      internal_interfaces: [{ network_id: inner.id }],
    }),
  )
  expect(router.external_gateway_info).toMatchObject({ network_name: 'public', enable_snat: true })
  const taken = await floatingIps.create(scope, FloatingIpDraft.parse({ floating_network_id: firstExternalNetworkId }))
  expect(taken.floating_ip_address).toMatch(/^198\.19\./)
  // instances cannot be attached to the network directly
  const direct = cloud.networking.ports.create(scope, { network_id: firstExternalNetworkId })
  await expect(direct).rejects.toMatchObject({ code: 'validation' })
})

test('operators can change and delete the first external network, which is not created again', async () => {
  cloud = await openSimulatedCloud()
  const { networks } = cloud.networking
  await networks.update(operator, firstExternalNetworkId, { name: 'renamed', rbac_policies: [] })
  await restart()
  expect(external()).toMatchObject([{ name: 'renamed', rbac_policies: [] }])
  await cloud.networking.networks.delete(operator, firstExternalNetworkId, how)
  await restart()
  expect(external()).toEqual([])
})

/** Opens an installation by an earlier version, which did not create an external network. */
async function openEarlier(): Promise<void> {
  cloud = await openSimulatedCloud()
  await cloud.networking.networks.delete(operator, firstExternalNetworkId, how)
  await cloud.server.records.transaction((tx) => tx.removePrivate('first_start', 'external network'))
}

test('an upgrade without an external network creates one', async () => {
  await openEarlier()
  await restart()
  expect(external().map(({ name }) => name)).toEqual(['public'])
})

test('an upgrade keeps an existing external network, and creates none after it is deleted', async () => {
  await openEarlier()
  const draft = { name: 'office', physical_network: 'public', subnets: [{ cidr: '203.0.113.0/24' }] }
  const office = await cloud.networking.networks.createPublic(operator, PublicNetworkDraft.parse(draft))
  await restart()
  expect(external().map(({ name }) => name)).toEqual(['office'])
  await cloud.networking.networks.delete(operator, office.id, how)
  await restart()
  expect(external()).toEqual([])
})
