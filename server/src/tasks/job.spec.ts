import * as z from 'zod'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { me, openJobServers, type JobServers } from '../testing/job-servers'
import { enqueue, handlerOf, type Job } from './job'

let servers: JobServers
beforeAll(async () => {
  servers = await openJobServers()
})
afterEach(() => servers.clear())
afterAll(() => servers.close())

interface Given {
  done: unknown[]
}
const copy: Job<{ from: string; at: Date }, Given> = {
  name: 'copy',
  args: z.strictObject({ from: z.string().min(1), at: z.coerce.date() }),
  run: async ({ args, subject }, { done }) => {
    done.push({ ...args, to: subject.id })
    return { copied: args.from }
  },
  onFailure: async ({ args }, error, { done }) => void done.push({ failed: args.from, error }),
}
const subject = { kind: 'volume', id: 'v-1', name: 'data' }
const start = (args: { from: string; at: Date }) =>
  servers.fixture.inventory.transaction((records) => enqueue(records, copy, { subject, args, scope: me }))

test("a job receives the arguments as parsed by its declaration, and its server's tools", async () => {
  const given: Given = { done: [] }
  await servers.serve({ copy: handlerOf(copy, () => given) })
  const at = new Date('2026-03-29T01:00:00.000Z')
  const task = await servers.over(await start({ from: 'v-0', at }))
  expect(task).toMatchObject({ name: 'copy', state: 'success', result: { copied: 'v-0' } })
  expect(given.done).toEqual([{ from: 'v-0', at, to: 'v-1' }])
})

test('a job with invalid arguments fails without doing any work', async () => {
  const given: Given = { done: [] }
  const log = await servers.serve({ copy: handlerOf(copy, () => given) })
  const task = await servers.over(await start({ from: '', at: new Date() }))
  expect(task).toMatchObject({ state: 'failed', error: 'copy does not accept its stored arguments' })
  expect(given.done).toEqual([])
  await servers.until(() => log.running() === 0)
})
