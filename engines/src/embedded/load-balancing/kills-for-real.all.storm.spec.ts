import { afterAll, beforeAll, expect } from 'vitest'
import { rounds } from '../../../../tools/lib/tier.mjs'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { until } from '../../conformance/cloud'
import { balancerSpaceOf } from '../../network-model/names'
import { counted, requests } from '../dataplane/testing/balancer-traffic'
import { processesHere } from '../dataplane/testing/bed'
import { openRealBalancers, type RealBalancers } from '../testing/real-balancers'

const test = testOn('networks', 'keepalived')

/*
 * After any process is killed, the load balancer returns to its last acknowledged state. In the gate, each kind of
 * process is killed once.
 */

const kills = rounds({ gate: 4, all: 12, long: 50 })
let real: RealBalancers
beforeAll(async () => {
  real = await openRealBalancers()
}, 60_000)
afterAll(() => real.close())

test(
  'serves the last acknowledged members after HAProxy, keepalived or the server is killed during a change',
  { timeout: 60_000 + kills * 20_000 },
  async ({ annotate }) => {
    const { bed, cloud, create, balancer, changePool, web, machine, from, remove } = real
    const { high_availability } = cloud.engine.capabilities['load-balancing']
    const [a, b, client] = [await web('web-1'), await web('web-2'), await machine('client')]
    const pool = {
      ...{ protocol: 'HTTP', protocol_port: 80, backend_protocol_port: 8080, healthmonitor: { type: 'HTTP' } },
      members: [{ address: a.address }],
    }
    const made = await create({ ha_enabled: high_availability, pools: [pool] })
    const ask = (count = 1) => from(client, requests(`http://${made.address}/`, count, '-m 1')).then(counted)

    const killAll = async (amphoraId: string, program: string) => {
      const space = balancerSpaceOf(amphoraId)
      await bed.run(space, `${processesHere(program)} | xargs -r kill -9`)
    }
    const active = () => (balancer(made.id).amphorae.find((it) => it.active) ?? balancer(made.id).amphorae[0]!).id
    const killed = [
      () => killAll(active(), 'haproxy'),
      () => bed.killServer(),
      () => killAll(active(), high_availability ? 'keepalived' : 'haproxy'),
      // kill all HAProxy processes at once
      async () => {
        for (const { id } of balancer(made.id).amphorae) await killAll(id, 'haproxy')
      },
    ]
    const times: number[] = []
    for (let at = 0; at < kills; at++) {
      const [name, place] = at % 2 === 0 ? (['web-2', b] as const) : (['web-1', a] as const)
      // start the requests before the kill, because the server provides the namespace names
      const load = ask(5).catch(() => null)
      // the change may be acknowledged before, during or after the kill
      const acknowledged = changePool(made.pools[0]!.id, { members: [{ address: place.address }] })
      await Promise.all([killed[at % killed.length]!(), acknowledged])
      const since = performance.now()
      await load
      // rejects if the server was killed; the next server applies the change
      await cloud.engine.carrier.settled().catch(() => undefined)
      await until('what was acknowledged answers', async () => (await ask())[name] === 1)
      // in a pair, the address may move once more while the other amphora comes back, but the old member never responds
      await until('it to answer always', async () => {
        const { [name]: right = 0, failed: _, ...others } = await ask(3)
        expect(others).toEqual({})
        return right === 3
      })
      times.push(Math.round(performance.now() - since))
    }
    await cloud.engine.carrier.settled()
    await until('nothing to be wrong of it', async () => balancer(made.id).status === 'ACTIVE')
    expect(balancer(made.id).fault).toBe(null)
    const [median, longest] = [times.toSorted((one, other) => one - other)[times.length >> 1], Math.max(...times)]
    await annotate(`${kills} kills: what was acknowledged answers after ${median} ms, at most ${longest} ms`)

    // a process that keeps dying is reported
    let isOver = false
    const killing = (async () => {
      while (!isOver) for (const { id } of balancer(made.id).amphorae) await killAll(id, 'haproxy')
    })()
    try {
      await until('it to be told of', async () => balancer(made.id).status === 'ERROR')
      expect(balancer(made.id).fault).toContain('HAProxy')
    } finally {
      isOver = true
      await killing
    }
    await until('nothing to be wrong of it again', async () => balancer(made.id).status === 'ACTIVE')
    expect(balancer(made.id).fault).toBe(null)
    await until('an answer', async () => !('failed' in (await ask())))
    await remove(made.id)
  },
)
