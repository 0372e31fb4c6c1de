import { loadBalancers } from '@mainstay/contract/load-balancing/load-balancers'
import { networks } from '@mainstay/contract/networking/networks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../../testing/start-server'
import { balancerSampler } from './balancers'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

it('samples the traffic and member health of each pool, visible only to its project', async () => {
  const as = 'project-member'
  const subnets = [{ cidr: '192.168.91.0/24' }]
  const network = await server.call(networks.createPrivate, { as, body: { name: 'sampled', subnets } })
  const pools = [
    {
      ...{ protocol: 'HTTP' as const, protocol_port: 80 },
      members: [{ address: '192.168.91.11' }, { address: '192.168.91.12', enabled: false }],
    },
  ]
  const { id } = await server.call(loadBalancers.create, { as, body: { name: 'shop', network_id: network.id, pools } })
  const view = () => server.call(loadBalancers.view, { as, params: { id } })
  await expect.poll(async () => (await view()).status).toBe('ACTIVE')
  const { project_id, domain_id, pools: made } = await view()

  const samples = await balancerSampler(server.tools)!.take(new AbortController().signal)
  const labels = { project_id, domain_id, load_balancer_id: id }
  expect(samples).toContainEqual({ name: 'mainstay_lb_members', labels, value: 2 })
  expect(samples).toContainEqual({ name: 'mainstay_lb_members_healthy', labels, value: 1 })
  const ofPool = samples.filter((it) => it.labels['pool_id'] === made[0]!.id)
  expect(ofPool.map(({ name }) => name)).toEqual(
    ['connections', 'connections_total', 'bytes_in_total', 'bytes_out_total', 'request_errors_total'].map(
      (name) => `mainstay_lb_${name}`,
    ),
  )
  for (const it of ofPool) expect(it.labels).toEqual({ ...labels, pool_id: made[0]!.id })
})
