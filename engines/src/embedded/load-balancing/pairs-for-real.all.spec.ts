import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { until } from '../../conformance/cloud'
import { balancerSpaceOf } from '../../network-model/names'
import { begunFile, counted, longestSilence, requests } from '../dataplane/testing/balancer-traffic'
import { knowMembers, processesHere } from '../dataplane/testing/bed'
import { operator } from '../testing/embedded-cloud'
import { openRealBalancers, type RealBalancers } from '../testing/real-balancers'

const test = testOn('networks', 'keepalived')

/* Rows and traffic of a load balancer with high availability. */

let real: RealBalancers
beforeAll(async () => {
  real = await openRealBalancers()
}, 60_000)
afterAll(() => real.close())

test('a pair reports its master and backup, and a failover or kill interrupts traffic for less than 3 s', async () => {
  const { create, balancer, web, machine, from, bed, cloud, changePool, remove, healthIs } = real
  const [a, b, client] = [await web('web-1'), await web('web-2'), await machine('client')]
  const { id, address, pools } = await create({
    ha_enabled: true,
    pools: [
      {
        ...{ protocol: 'HTTP', protocol_port: 80, backend_protocol_port: 8080, lb_algorithm: 'ROUND_ROBIN' },
        ...{ healthmonitor: { type: 'HTTP' }, members: [{ address: a.address }] },
      },
    ],
  })
  const roles = () => Object.fromEntries(balancer(id).amphorae.map((one) => [one.role, one]))
  const isPair = () => Promise.resolve(Object.keys(roles()).toSorted().join() === 'BACKUP,MASTER')
  await until('one of the two is master', isPair)
  expect([roles()['MASTER']!.active, roles()['BACKUP']!.active]).toEqual([true, false])
  await healthIs(pools[0]!.id, a.address, 'HEALTHY')

  /** Returns the longest time without a response, in ms. */
  async function silenceOf(happens: () => Promise<unknown>): Promise<number> {
    await until('both know the member', () =>
      knowMembers(
        bed,
        Object.values(roles()).map((one) => one.id),
      ),
    )
    const stopFile = join(bed.folder, randomUUID())
    const load = from(client, longestSilence(address, stopFile))
    await until('it is answered', () => Promise.resolve(existsSync(begunFile(stopFile))))
    await happens()
    await until('the other one has taken over', isPair)
    await new Promise((done) => setTimeout(done, 1000))
    writeFileSync(stopFile, '')
    return (JSON.parse((await load).split('\n').at(-1)!) as { longest: number }).longest
  }

  const before = roles()
  const replacing = await silenceOf(async () => {
    await cloud['load-balancing'].loadBalancers.failover(operator, id)
    await cloud.server.idle()
  })
  expect(replacing).toBeLessThan(3000)
  expect(balancer(id).status).toBe('ACTIVE')
  const after = balancer(id).amphorae.map((one) => one.id)
  expect(after).toContain(before['BACKUP']!.id)
  expect(after).not.toContain(before['MASTER']!.id)

  const killed = roles()['MASTER']!.id
  const killing = await silenceOf(async () => {
    await bed.run(balancerSpaceOf(killed), `kill -9 $(${processesHere('keepalived', 'haproxy')})`)
    await until('the other one is master', () => Promise.resolve(roles()['MASTER']?.id !== killed))
  })
  expect(killing).toBeLessThan(3000)

  // both amphorae apply changes, so the new master also has them
  await changePool(pools[0]!.id, { members: [{ address: a.address }, { address: b.address }] })
  await cloud.engine.carrier.settled()
  expect(counted(await from(client, requests(`http://${address}/`, 4)))).toEqual({ 'web-1': 2, 'web-2': 2 })
  await remove(id)
}, 120_000)
