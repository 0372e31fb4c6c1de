import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import type { Observation } from '../ports/feed'
import type { Entity, JobHandler, JobStart, RecordsTransaction } from '../ports/records'
import type { Scope } from '../ports/scope'
import type { Engine } from './engine'
import { createEngineTools } from './engine-tools'
import type { KindReader, Reading } from './kind-reader'
import { memoryIntents } from './testing/memory-intents'
import { runTask } from './testing/run-task'

const member: Scope = {
  kind: 'project',
  user_id: 'u1',
  user_name: 'ada',
  domain_id: 'd1',
  project_id: 'p1',
  roles: ['project_member'],
  request_id: 'spec',
}
type Thing = Entity & { project_id: string; status: string; fault?: string | { message: string } }
const thing = (status: string, more: Partial<Thing> = {}): Thing => ({ id: 'a', project_id: 'p1', status, ...more })

/** Rows in the cloud and in the index. */
let cloud: Map<string, Thing>
let index: Map<string, Entity>
let seen: Observation[]
let reachable: boolean
let started: JobStart[]
let handlers: Map<string, JobHandler>
let engine: Pick<Engine, 'refresh' | 'known' | 'trackToCompletion' | 'registerTaskSteps'>

const reader: KindReader<Thing> = {
  kind: 'server',
  service: 'compute',
  list: 'servers',
  async *all() {},
  async some(_, ids) {
    if (!reachable) throw new Error('no answer')
    return new Map(ids.map((id) => [id, cloud.get(id) ?? null]))
  },
  isBusy: ({ status }) => status.endsWith('ING'),
}

beforeEach(() => {
  cloud = new Map([['a', thing('ACTIVE')]])
  index = new Map()
  seen = []
  started = []
  handlers = new Map()
  reachable = true
  const tx = {
    get: async (_: string, id: string) => index.get(id) ?? null,
    startJob: async (job: JobStart) => `task ${started.push(job)}`,
  } as unknown as RecordsTransaction
  engine = createEngineTools({
    reading: {} as Reading,
    readers: [reader],
    records: { transaction: (work) => work(tx) },
    async applyObservations(observations) {
      for (const observation of observations) {
        seen.push(observation)
        if (observation.op === 'put') index.set(observation.entity.id, observation.entity)
        else index.delete(observation.id)
      }
    },
    jobs: {
      handle: (name, handler: JobHandler) => void handlers.set(name, handler),
      prepare: (job) => memoryIntents(started).prepare(job),
    },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    patience: { look: 2, lookAtMost: 4, ask: 5, askAtMost: 10, lingering: 500, quiet: 1000 },
  })
})

/** Runs the most recently started task like a server that has only the task's row. */
const run = (signal?: AbortSignal): Promise<unknown> => {
  const job = started.at(-1)!
  return runTask(handlers.get(job.name)!, job, signal)
}
const follow = (until: 'settled' | 'gone') =>
  engine.trackToCompletion({
    name: until === 'gone' ? 'compute.server.delete' : 'compute.server.stop',
    subject: { kind: 'server', id: 'a', name: 'a' },
    until,
    scope: member,
  })

test("reads back the caller's own change and indexes it", async () => {
  const before = Date.now()
  expect(await engine.refresh(reader, 'a')).toMatchObject({ status: 'ACTIVE' })
  expect(index.get('a')).toMatchObject({ status: 'ACTIVE' })
  expect(seen[0]!.observed_at).toBeGreaterThanOrEqual(before)
})

test('removes a deleted row from the index and throws not_found', async () => {
  index.set('a', thing('ACTIVE'))
  cloud.clear()
  await expect(engine.refresh(reader, 'a')).rejects.toMatchObject({ code: 'not_found' })
  expect(index.size).toBe(0)
})

test('hides rows in other projects, except from operators', async () => {
  index.set('a', thing('ACTIVE', { project_id: 'p2' }))
  await expect(engine.known('server', member, 'a')).rejects.toMatchObject({ code: 'not_found' })
  await expect(engine.known('server', member, 'b')).rejects.toMatchObject({ code: 'not_found' })
  expect(await engine.known('server', { ...member, kind: 'system' }, 'a')).toMatchObject({ id: 'a' })
})

test('completes a task once its row has settled, even without notifications', async () => {
  cloud.set('a', thing('STOPPING'))
  await follow('settled')
  const running = run()
  await sleep(30)
  expect(index.get('a')).toMatchObject({ status: 'STOPPING' })
  cloud.set('a', thing('SHUTOFF'))
  await running
  expect(index.get('a')).toMatchObject({ status: 'SHUTOFF' })
})

test('does not treat the state that a row had before the command as the result of the command', async () => {
  index.set('a', thing('ACTIVE'))
  cloud.set('a', thing('STOPPING'))
  await follow('settled')
  const running = run()
  await sleep(20)
  cloud.set('a', thing('SHUTOFF'))
  await running
  expect(index.get('a')).toMatchObject({ status: 'SHUTOFF' })
})

test('fails a task with the fault from its row', async () => {
  cloud.set('a', thing('ERROR', { fault: { message: 'No valid host was found' } }))
  await follow('settled')
  await expect(run()).rejects.toThrow('No valid host was found')
  cloud.set('a', thing('error_extending', { fault: 'The pool is full' }))
  await expect(run()).rejects.toThrow('The pool is full')
  cloud.set('a', thing('error', {}))
  await expect(run()).rejects.toThrow('The cloud reports the status "error" without a reason')
})

test('completes a deletion once the row is gone, even after an error, and fails if the row stays', async () => {
  cloud.set('a', thing('ERROR'))
  await follow('gone')
  const running = run()
  await sleep(20)
  cloud.clear()
  await running
  cloud.set('a', thing('ACTIVE'))
  await expect(run()).rejects.toThrow('The cloud did not delete the object')
})

test('fails a task if its row is deleted while the task runs', async () => {
  cloud.clear()
  await follow('settled')
  await expect(run()).rejects.toThrow('The object was deleted during the task')
})

test('survives a cloud outage, and gives up if nothing changes for too long', async () => {
  reachable = false
  cloud.set('a', thing('SHUTOFF'))
  await follow('settled')
  const running = run()
  await sleep(40)
  reachable = true
  await running
  cloud.set('a', thing('STOPPING'))
  await expect(run()).rejects.toThrow('No progress for too long')
})

test('stops an aborted task immediately and continues it on another server', async () => {
  cloud.set('a', thing('STOPPING'))
  await follow('settled')
  const first = new AbortController()
  const running = run(first.signal)
  await sleep(10)
  first.abort()
  await expect(running).rejects.toThrow()
  cloud.set('a', thing('SHUTOFF'))
  await run()
})

test('runs the registered steps after each read and at the end', async () => {
  cloud.set('a', thing('RESIZING'))
  const looks: string[] = []
  engine.registerTaskSteps('compute.server.stop', {
    async whilePending(_, row) {
      looks.push(String(row['status']))
      cloud.set('a', thing('ACTIVE'))
    },
    async onSettled() {
      throw new Error('no node took it')
    },
  })
  await follow('settled')
  await expect(run()).rejects.toThrow('no node took it')
  expect(looks[0]).toBe('RESIZING')
})
