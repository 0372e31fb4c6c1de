import process from 'node:process'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { Secret } from '@mainstay/engines/ports/secret'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeHosts, HOST_KEY, hostFacts, machineIdOf } from '../../../../testing/fake-hosts'
import { openInventoryFixture, type InventoryFixture } from '../../../../testing/inventory-fixture'
import { silentLogger } from '../../../../testing/silent-logger'
import { changeRecord } from '../node-record'
import { newNode, noLink } from '../node-rows'
import { NodeWatch } from './node-watch'

const hosts = fakeHosts()
let fixture: InventoryFixture
let watch: NodeWatch
beforeAll(async () => {
  fixture = await openInventoryFixture()
  const { inventory, store } = fixture
  const privateKey = async () => new Secret('key')
  watch = new NodeWatch({ inventory, lease: store.lease, hosts, privateKey, log: silentLogger, pace: 50 })
})
afterAll(async () => {
  await watch.close()
  await fixture.close()
})

const register = (id: string) =>
  fixture.inventory.transaction(async (tx) => {
    await tx.put('node', newNode({ id, host: id, link: { ...noLink, by: 'ssh' }, is_online: true }))
    const ssh = { address: id, port: 22, user: 'root', host_key: HOST_KEY }
    await changeRecord(tx, id, { machine_id: machineIdOf(id), ssh })
  })

it('reads 64 hosts within 30 s even if a third of them hang', async () => {
  const round = () => watch.round({ all: true })
  const names = Array.from({ length: 64 }, (_, at) => `n${at}`)
  for (const [at, name] of names.entries()) {
    hosts.add(name, hostFacts(name)).state = at % 3 === 0 ? 'hangs' : 'up'
    await register(name)
  }
  const began = performance.now()
  await round()
  expect(performance.now() - began).toBeLessThan(30_000)
  const read = await fixture.inventory.transaction((tx) => tx.find<Node>('node', { kernel: '6.1.0' }))
  expect(read).toHaveLength(42)
  const before = process.cpuUsage()
  await round()
  const { user, system } = process.cpuUsage(before)
  // reading all hosts every 30 s may use at most a tenth of a CPU core
  expect((user + system) / 1000).toBeLessThan(3_000)
})
