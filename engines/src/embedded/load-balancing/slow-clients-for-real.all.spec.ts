import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { PrivateNetworkDraft } from '@mainstay/contract/networking/networks'
import { SecurityGroupRuleDraft } from '@mainstay/contract/networking/security-group-rules'
import { afterAll, beforeAll, expect } from 'vitest'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { until } from '../../conformance/cloud'
import { requests } from '../dataplane/testing/balancer-traffic'
import { memberOf } from '../testing/embedded-cloud'
import { openRealBalancers, ours, type RealBalancers } from '../testing/real-balancers'

const test = testOn('networks')

/*
 * Clients of one tenant use up all connections of its load balancer and send their requests one letter at a time.
 * Another tenant's load balancer must still respond.
 */

const theirScope = memberOf('theirs')
let real: RealBalancers
beforeAll(async () => {
  real = await openRealBalancers()
}, 60_000)
afterAll(() => real.close())

/** The number of connections that a process may open here, up to the limit of a load balancer. */
const most = Math.min(
  10_000,
  Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]) - 500,
)

/**
 * Opens this many connections, replaces those that are closed, and keeps writing the peak number to a file until
 * `stopFile` exists.
 */
const slowly = (
  address: string,
  count: number,
  told: string,
  stopFile: string,
) => `ulimit -n $(ulimit -Hn); '${process.execPath}' -e "
const { connect } = require('node:net'); const { existsSync, writeFileSync, renameSync } = require('node:fs'); const all = new Set(); let making = 0, peak = 0
const one = () => { making++; const s = connect(80, '${address}', () => { making--; all.add(s); peak = Math.max(peak, all.size); s.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nX-A: ') }).on('error', () => 0).on('close', () => all.delete(s) || making--) }
setInterval(() => { for (let at = 0; at < 1000 && making < 500 && all.size + making < ${count}; at++) one() }, 20)
setInterval(() => { for (const s of all) s.write('a') }, 2000)
setInterval(() => { writeFileSync('${told}.part', String(peak)); renameSync('${told}.part', '${told}'); if (existsSync('${stopFile}')) process.exit() }, 200)"`

test(`${most} slow clients of one load balancer do not affect that of another tenant`, async ({ annotate }) => {
  const { bed, cloud, group, machine, web, from, create } = real
  const theirs = await cloud.networking.networks.createPrivate(
    theirScope,
    PrivateNetworkDraft.parse({ name: 'theirs', subnets: [{ cidr: '10.0.0.0/24' }] }),
  )
  const theirGroup = await cloud.networking.securityGroups.create(theirScope, { name: 'web', description: '' })
  await cloud.networking.securityGroupRules.create(
    theirScope,
    SecurityGroupRuleDraft.parse({ security_group_id: theirGroup.id, direction: 'ingress', protocol: 'tcp' }),
  )
  const [mine, attacker] = [await web('mine'), await machine('slow', group.id)]
  const [yours, client] = [
    await web('yours', theirGroup.id, theirScope, theirs),
    await machine('calm', theirGroup.id, theirScope, theirs),
  ]
  const poolOf = (address: string) => [
    { protocol: 'HTTP', protocol_port: 80, backend_protocol_port: 8080, members: [{ address }] },
  ]
  const one = await create({ pools: poolOf(mine.address) })
  const two = await create({ network_id: theirs.id, pools: poolOf(yours.address) }, theirScope)
  const [told, stopFile] = [join(bed.folder, 'slow'), join(bed.folder, 'enough')]
  const slow = from(attacker, slowly(one.address, most, told, stopFile))
  const standing = async () => Number(await bed.run('edge', `cat '${told}' 2>/dev/null`))
  // the load balancer may close the first connections before the last one is open
  await until('the connections', async () => (await standing()) >= most * 0.95, 60_000)
  const times = await from(
    client,
    `for n in $(seq 10); do curl -s -m 5 -o /dev/null -w '%{http_code} %{time_total}\\n' http://${two.address}/; done`,
  )
  const open = (await cloud['load-balancing'].loadBalancers.stats(ours, one.id)).active_connections
  await bed.run('edge', `touch '${stopFile}'`)
  await slow
  await annotate(`${await standing()} connections at once, ${open} of them now; their neighbour:\n${times}`)
  for (const line of times.split('\n')) {
    const [status, seconds] = line.split(' ')
    expect(status).toBe('200')
    expect(Number(seconds)).toBeLessThan(1)
  }
  // both tenants use the same addresses, but their traffic stays separate
  expect(await from(client, requests(`http://${two.address}/`, 1))).toBe('yours')
  await until('an answer for the other tenant again', async () => {
    const said = await from(attacker, requests(`http://${one.address}/`, 1))
    return said === 'mine'
  })
}, 180_000)
