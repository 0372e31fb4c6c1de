import type { LoadBalancerFlavor } from '@mainstay/contract/load-balancing/flavors'
import { LoadBalancerDraft } from '@mainstay/contract/load-balancing/load-balancers'
import { PrivateNetworkDraft } from '@mainstay/contract/networking/networks'
import { expect, test } from 'vitest'
import { openPretendDataplane } from '../simulated/dataplane'
import { memberOf, openSimulatedCloud } from '../testing/embedded-cloud'

test('without keepalived, reports no high availability and refuses a pair, naming the missing program', async () => {
  const dataplane = openPretendDataplane()
  const facts = await dataplane.probe()
  const cloud = await openSimulatedCloud({
    dataplane: { ...dataplane, probe: async () => ({ ...facts, programs: {} }) },
  })
  const scope = memberOf('ours')
  expect(cloud.engine.capabilities['load-balancing'].high_availability).toBe(false)
  const net = await cloud.networking.networks.createPrivate(
    scope,
    PrivateNetworkDraft.parse({ name: 'web', subnets: [{ cidr: '10.0.0.0/24' }] }),
  )
  const make = (more: object) =>
    cloud['load-balancing'].loadBalancers.create(
      scope,
      LoadBalancerDraft.parse({ name: 'shop', network_id: net.id, ...more }),
    )
  await expect(make({ ha_enabled: true })).rejects.toMatchObject({
    code: 'unsupported',
    fields: { ha_enabled: [expect.stringContaining('keepalived')] },
  })
  const ofPairs = cloud.memory.all<LoadBalancerFlavor>('lb_flavor').find(({ enabled }) => !enabled)!
  await expect(make({ flavor_id: ofPairs.id })).rejects.toMatchObject({ fields: { flavor_id: [expect.any(String)] } })
  expect((await make({})).ha_enabled).toBe(false)
  await cloud.close()
})
