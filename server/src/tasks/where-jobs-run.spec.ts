import { setTimeout as sleep } from 'node:timers/promises'
import type { JobHandler, Subject } from '@mainstay/engines/ports/records'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { hasJobs } from '../inventory/jobs'
import { me, openJobServers, type JobServers } from '../testing/job-servers'

let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
})
afterEach(() => jobs.clear())
afterAll(() => jobs.close())

const node = (id: string): Subject => ({ kind: 'node', id, name: id })
const cluster: Subject = { kind: 'cluster', id: 'c1', name: 'c1' }
const quick: JobHandler = { run: async () => 'quick' }

test('jobs that hold the same two subjects in opposite order do not deadlock and run one at a time', async () => {
  let [atOnce, most] = [0, 0]
  const work: JobHandler = {
    async run() {
      most = Math.max(most, ++atOnce)
      await sleep(20)
      atOnce--
    },
  }
  await jobs.serve({ work })
  const pairs = Array.from({ length: 12 }, (_, n): [string, string] => (n % 2 === 0 ? ['a', 'b'] : ['b', 'a']))
  const ids = await Promise.all(
    pairs.map(([first, second]) => jobs.begin({ subject: node(first), holds: [node(second)] })),
  )
  for (const id of ids) expect(await jobs.over(id)).toMatchObject({ state: 'success' })
  expect(most).toBe(1)
  expect(await jobs.sql('select from job_hold')).toEqual([])
})

test('a held subject blocks both jobs for that subject and other jobs that hold it', async () => {
  let end = () => {}
  const ending = new Promise<void>((resolve) => (end = resolve))
  await jobs.serve({ hold: { run: () => ending }, quick })
  const holder = await jobs.begin({ name: 'hold', subject: node('n1'), holds: [cluster] })
  await jobs.until(async () => (await jobs.view(holder)).state === 'running')
  const own = await jobs.begin({ name: 'quick', subject: cluster })
  const held = await jobs.begin({ name: 'quick', subject: node('n2'), holds: [cluster] })
  const other = await jobs.begin({ name: 'quick', subject: node('n3') })
  await jobs.over(other)
  expect([(await jobs.view(own)).state, (await jobs.view(held)).state]).toEqual(['starting', 'starting'])
  expect(await jobs.fixture.inventory.transaction((_, db) => hasJobs(db, cluster))).toBe(true)
  end()
  for (const id of [own, held]) expect(await jobs.over(id)).toMatchObject({ state: 'success' })
})

test('a job that holds a subject waits for an earlier job for that subject', async () => {
  const order: string[] = []
  const work: JobHandler = { run: async ({ subject }) => void order.push(subject.id) }
  const first = await jobs.begin({ subject: cluster })
  const second = await jobs.begin({ subject: node('n1'), holds: [cluster] })
  await jobs.serve({ work })
  await jobs.over(first)
  await jobs.over(second)
  expect(order).toEqual(['c1', 'n1'])
})

test('a waiting job that holds a subject runs again when the subject changes', async () => {
  let looks = 0
  await jobs.serve({ work: { run: async () => (looks++ === 0 ? { again: 600_000 } : 'done') } })
  const id = await jobs.begin({ subject: node('n1'), holds: [cluster] })
  await jobs.until(async () => (await jobs.sql('select from job where state is not null')).length === 1)
  await jobs.fixture.inventory.transaction((tx) => tx.wakeJobs(cluster.kind, cluster.id))
  expect(await jobs.over(id)).toMatchObject({ result: 'done' })
})

test('a job for a node runs on a server that can reach the node', async () => {
  const at: string[] = []
  const work = (name: string): JobHandler => ({ run: async () => void at.push(name) })
  await jobs.serve({ work: work('one') }, { replica: 'one', nodes: ['n1'] })
  await jobs.serve({ work: work('two') }, { replica: 'two', nodes: ['n2'] })
  for (let n = 0; n < 4; n++) await jobs.over(await jobs.begin({ subject: node(`s${n}`), node: 'n2' }))
  expect(at).toEqual(['two', 'two', 'two', 'two'])
})

const waitsFor = (id: string, unreachable: string | null) =>
  jobs.until(async () => ((await jobs.view(id)).unreachable_node ?? null) === unreachable)

test('a job for an unreachable node waits, shows this in its task, and runs once a server reaches the node', async () => {
  const tasks = await jobs.serve({ work: quick }, { nodes: ['n1'], times: { every: 50 } })
  const id = await jobs.begin({ node: 'n2' })
  await waitsFor(id, 'n2')
  expect((await jobs.view(id)).state).toBe('starting')
  await tasks.holdNodes(['n1', 'n2'])
  expect(await jobs.over(id)).toMatchObject({ state: 'success', unreachable_node: null })
})

test('a job with steps waits while its node is unreachable and continues when it is reachable again', async () => {
  const done: string[] = []
  let isFirst = true
  const steps = ['one', 'two'].map((name) => ({
    name,
    async run() {
      if (name === 'two' && isFirst) return { again: 100 }
      done.push(name)
      return undefined
    },
  }))
  const holder = await jobs.serve({ work: { steps } }, { replica: 'holder', nodes: ['n1'] })
  const id = await jobs.begin({ node: 'n1', steps: ['one', 'two'] })
  await jobs.until(() => done.length === 1)
  await holder.close()
  await holder.server.leave()
  isFirst = false
  const other = await jobs.serve({ work: { steps } }, { replica: 'other', times: { every: 50 } })
  await waitsFor(id, 'n1')
  await other.holdNodes(['n1'])
  expect(await jobs.over(id)).toMatchObject({ state: 'success', unreachable_node: null })
  expect(done).toEqual(['one', 'two'])
})

test('a job for an unreachable node can be cancelled before it starts', async () => {
  let undone = false
  const work: JobHandler = { ...quick, onFailure: async () => void (undone = true) }
  const tasks = await jobs.serve({ work })
  const id = await jobs.begin({ node: 'n9', cancellable: true })
  await tasks.cancel(me, id)
  expect(await jobs.over(id)).toMatchObject({ state: 'cancelled' })
  expect(undone).toBe(true)
})
