import {
  LoadBalancerChange,
  LoadBalancerDraft,
  type LoadBalancer,
} from '@mainstay/contract/load-balancing/load-balancers'
import { PoolChange, PoolDraft, poolStatuses, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { PrivateNetworkDraft } from '@mainstay/contract/networking/networks'
import { expect, test } from 'vitest'
import { until } from '../../conformance/cloud'
import { openPretendDataplane } from '../simulated/dataplane'
import { memberOf, openSimulatedCloud, operator } from '../testing/embedded-cloud'

test('the status of a load balancer and its pools shows a change in progress or a fault on the host [ST-046] [ST-048]', async () => {
  const dataplane = openPretendDataplane()
  let fault: string | null = 'HAProxy did not start'
  const cloud = await openSimulatedCloud({
    dataplane: {
      ...dataplane,
      async apply(wanted) {
        const broken = fault === null ? [] : wanted.balancers.map(({ id }) => [id, fault!] as const)
        return { ...(await dataplane.apply(wanted)), balancers: new Map(broken) }
      },
    },
  })
  const scope = memberOf('ours')
  const { loadBalancers, loadBalancerPools } = cloud['load-balancing']
  const net = await cloud.networking.networks.createPrivate(
    scope,
    PrivateNetworkDraft.parse({ name: 'web', subnets: [{ cidr: '10.0.0.0/24' }] }),
  )
  const statuses: string[] = []
  const said = ({ status }: { status: string }) => void statuses.push(status)
  const becomes = async (kind: string, id: string, status: string) => {
    const row = () => cloud.memory.get<LoadBalancer | LoadBalancerPool>(kind, id)
    await until(`${kind} to be ${status}`, async () => row()?.status === status)
    said(row()!)
  }
  const made = await loadBalancers.create(scope, LoadBalancerDraft.parse({ name: 'shop', network_id: net.id }))
  const { id } = made
  said(made)
  await becomes('load_balancer', id, 'DEPLOYMENT_FAILED')
  fault = null
  said(await loadBalancers.recreate(operator, id))
  await becomes('load_balancer', id, 'ACTIVE')
  const enable = (enabled: boolean) => loadBalancers.update(scope, id, LoadBalancerChange.parse({ enabled }))
  said(await enable(false))
  await becomes('load_balancer', id, 'DISABLED')
  fault = 'HAProxy stopped'
  await enable(true)
  await becomes('load_balancer', id, 'ERROR')
  expect(statuses.splice(0)).toEqual([
    ...['CREATING', 'DEPLOYMENT_FAILED', 'CREATING', 'ACTIVE', 'CONFIGURING', 'DISABLED', 'ERROR'],
  ])

  fault = null
  const draft = PoolDraft.parse({ loadbalancer_id: id, protocol: 'TCP', protocol_port: 80 })
  const pool = await loadBalancerPools.create(scope, draft)
  said(pool)
  await becomes('lb_pool', pool.id, 'ACTIVE')
  await becomes('load_balancer', id, 'ACTIVE')
  fault = 'HAProxy stopped'
  said(await loadBalancerPools.update(scope, pool.id, PoolChange.parse({ description: 'changed' })))
  await becomes('lb_pool', pool.id, 'ERROR')
  const leaving = await loadBalancers.delete(scope, id)
  said(cloud.memory.get<LoadBalancerPool>('lb_pool', pool.id)!)
  expect(leaving.status).toBe('DELETING')
  expect(statuses).toEqual(['CREATING', 'ACTIVE', 'ACTIVE', 'CONFIGURING', 'ERROR', 'DELETING'])
  expect(new Set(statuses)).toEqual(new Set(poolStatuses))
  await cloud.close()
})
