import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '@mainstay/contract/core/problems'
import { Task } from '@mainstay/contract/core/tasks'
import type { AskPerson, JobRun, PersonAnswer, Step, SteppedHandler } from '@mainstay/engines/ports/records'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { tier } from '../../../tools/lib/tier.mjs'
import { projectScope } from '../testing/inventory-fixture'
import { JOBS_CHANNEL } from '../inventory/jobs'
import { me, openJobServers, type JobServers } from '../testing/job-servers'

let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
})
afterEach(() => jobs.clear())
afterAll(() => jobs.close())

type OneStep = Step<JobRun>
const done: string[] = []
afterEach(() => void (done.length = 0))

/** A step that records what it does. */
const step = (name: string, more: Partial<OneStep> = {}): OneStep => ({
  name,
  run: async () => void done.push(name),
  undo: async () => void done.push(`undo ${name}`),
  ...more,
})
const failing = (name: string) =>
  step(name, {
    async run() {
      done.push(name)
      throw new Problem('conflict', 'The disk is full')
    },
  })
const question = (more: Partial<AskPerson> = {}): AskPerson => ({
  ...{ ask: 'keep_network', choices: ['keep', 'roll_back'], otherwise: 'roll_back', within: 600_000 },
  ...more,
})
const statesOf = async (id: string) =>
  Object.fromEntries((await jobs.view(id)).steps!.map(({ name, state }) => [name, state]))
const work = (...steps: OneStep[]): { work: SteppedHandler } => ({ work: { steps } })
const isPaused = (id: string) => jobs.until(async () => (await jobs.view(id)).state === 'paused')
const begin = (...names: string[]) => jobs.begin({ cancellable: true, steps: names })

test('steps run in order, and the task shows the state and times of each', async () => {
  let go = () => {}
  const waiting = new Promise<void>((resolve) => (go = resolve))
  const id = await begin('one', 'two', 'three')
  expect(await statesOf(id)).toEqual({ one: 'waiting', two: 'waiting', three: 'waiting' })
  await jobs.serve(work(step('one'), step('two', { run: () => waiting }), step('three')))
  await jobs.until(async () => (await statesOf(id))['two'] === 'running')
  const live = await jobs.view(id)
  expect(Task.parse(live)).toEqual(live)
  expect(live.state).toBe('running')
  expect(live.steps!.map(({ state, began_at, ended_at }) => [state, began_at !== null, ended_at !== null])).toEqual([
    ['done', true, true],
    ['running', true, false],
    ['waiting', false, false],
  ])
  go()
  expect(await jobs.over(id)).toMatchObject({ state: 'success', progress: 100 })
  expect(await statesOf(id)).toEqual({ one: 'done', two: 'done', three: 'done' })
  expect(done).toEqual(['one', 'three'])
})

test('the progress of a task takes the weight of its steps into account', async () => {
  let seen = -1
  const half = step('half', {
    weight: 3,
    async run({ progress, task_id }) {
      progress(50)
      await jobs.until(async () => (seen = (await jobs.view(task_id)).progress) === 63)
    },
  })
  await jobs.serve(work(step('one'), half))
  expect(await jobs.over(await begin())).toMatchObject({ state: 'success' })
  expect(seen).toBe(63)
})

test('values that a step keeps are available to later steps and to the result', async () => {
  const make = step('make', { run: ({ keep }) => keep({ network_id: 'n1' }) })
  let found: unknown
  const use = step('use', { run: async ({ kept }) => void (found = kept['network_id']) })
  const result: SteppedHandler['result'] = ({ network_id }) => ({ network_id })
  await jobs.serve({ work: { steps: [make, use], result } })
  expect(await jobs.over(await begin())).toMatchObject({ state: 'success', result: { network_id: 'n1' } })
  expect(found).toBe('n1')
})

test('a step that waits runs again with its own state, and the next step starts without any state', async () => {
  const states: unknown[] = []
  const waits = step('waits', {
    async run({ state }) {
      states.push(state)
      return states.length < 3 ? { again: 20, state: { looks: states.length } } : undefined
    },
  })
  const next = step('next', { run: async ({ state }) => void states.push(state) })
  await jobs.serve(work(waits, next))
  expect(await jobs.over(await begin())).toMatchObject({ state: 'success' })
  expect(states).toEqual([{}, { looks: 1 }, { looks: 2 }, {}])
})

for (const at of tier === 'gate' ? [1] : [0, 1, 2])
  test(`a server that dies after step ${at + 1} skips no step and repeats no completed step`, async () => {
    const names = ['one', 'two', 'three']
    let isFirst = true
    const closing = names.map((name, index) =>
      step(name, {
        async run() {
          done.push(name)
          // the server that dies begins the next step but does not complete it
          if (index === at + 1 && isFirst) await new Promise(() => undefined)
        },
      }),
    )
    await jobs.serve({ work: { steps: closing } }, { replica: 'dies' })
    const id = await begin(...names)
    if (at < 2) {
      await jobs.until(async () => (await statesOf(id))[names[at + 1]!] === 'running')
      isFirst = false
      await jobs.sql('update job set owner = null, attempt = attempt + 1')
      await jobs.serve({ work: { steps: closing } }, { replica: 'goes on' })
    }
    expect(await jobs.over(id)).toMatchObject({ state: 'success' })
    const expected = names.flatMap((name, index) => (index === at + 1 ? [name, name] : [name]))
    expect(done).toEqual(expected)
  })

test(
  'each step has its own waiting time, not including the time that it waits for a person',
  { tags: 'all' },
  async () => {
    const waits: number[] = []
    const waiting = (name: string) =>
      step(name, {
        async run({ since, time, state }) {
          waits.push(time - since)
          return state['looked'] ? undefined : { again: 40, state: { looked: true } }
        },
      })
    const asks = step('asks', {
      async run({ answer, since, time }) {
        if (!answer) return question({ within: 100 })
        waits.push(time - since)
        return undefined
      },
    })
    await jobs.serve(work(waiting('one'), asks, waiting('two')))
    expect(await jobs.over(await begin())).toMatchObject({ state: 'success' })
    const [first, looked, answered, ...rest] = waits
    expect([first, answered, rest[0]]).toEqual([0, 0, 0])
    expect(looked).toBeGreaterThanOrEqual(39)
    expect(rest[1]).toBeGreaterThanOrEqual(39)
  },
)

test('after a failure, steps are undone in reverse order and the task fails with the original error', async () => {
  let seen: string[] = []
  const handler: SteppedHandler = {
    steps: [step('one'), step('two'), failing('three'), step('four')],
    onFailure: async () => void (seen = [...done]),
  }
  await jobs.serve({ work: handler })
  const id = await begin()
  expect(await jobs.over(id)).toMatchObject({ state: 'failed', error: 'The disk is full', err_code: 'conflict' })
  expect(done).toEqual(['one', 'two', 'three', 'undo three', 'undo two', 'undo one'])
  expect(seen).toEqual(done)
  expect(await statesOf(id)).toEqual({ one: 'undone', two: 'undone', three: 'undone', four: 'waiting' })
  expect((await jobs.view(id)).steps![2]!.error).toBe('The disk is full')
})

test('a step without undo keeps its state after a failure', async () => {
  const { undo: _, ...one } = step('one')
  const { undo: __, ...two } = failing('two')
  await jobs.serve(work(one, two))
  const id = await begin()
  await jobs.over(id)
  expect(await statesOf(id)).toEqual({ one: 'done', two: 'failed' })
})

test('a cancelled task undoes its steps with a new signal and ends in the state cancelled', async () => {
  let aborted: boolean | null = null
  const slow = step('slow', {
    run: ({ signal }) => sleep(60_000, undefined, { signal }),
    undo: async ({ signal }) => void (aborted = signal.aborted),
  })
  const tasks = await jobs.serve(work(step('one'), slow))
  const id = await begin()
  await jobs.until(async () => (await jobs.view(id)).steps?.[1]?.state === 'running')
  await tasks.cancel(me, id)
  expect(await jobs.over(id)).toMatchObject({ state: 'cancelled', error: null })
  expect(aborted).toBe(false)
  expect(done).toEqual(['one', 'undo one'])
})

test('a step with endsItself continues after a cancellation until it ends', async () => {
  let [looks, isAsked] = [0, false]
  const ends = step('ends', {
    endsItself: true,
    async run({ cancelled }) {
      if (!cancelled()) return { again: 20 }
      isAsked = true
      return ++looks < 3 ? { again: 20 } : undefined
    },
  })
  const tasks = await jobs.serve(work(ends, step('two')))
  const id = await begin()
  await jobs.until(async () => (await jobs.view(id)).steps?.[0]?.state === 'running')
  await tasks.cancel(me, id)
  expect(await jobs.over(id)).toMatchObject({ state: 'cancelled' })
  expect([looks, isAsked]).toEqual([3, true])
  expect(done).toEqual(['undo ends'])
})

test('a task that is cancelled between two steps does not begin the next one', async () => {
  let cancel = async () => {}
  const tasks = await jobs.serve(work(step('one', { run: async () => cancel() }), step('two')))
  const id = await begin()
  cancel = async () => void (await tasks.cancel(me, id))
  expect(await jobs.over(id)).toMatchObject({ state: 'cancelled' })
  expect(done).not.toContain('two')
})

test('an undo that fails is retried, then reported, and earlier steps are still undone', async () => {
  let tries = 0
  const stubborn = step('stubborn', {
    undo: async () => {
      tries++
      // skip the delays between attempts
      await jobs.sql('update job set cleanups = 5 where cleanups > 0')
      throw new Error('the switch does not answer')
    },
  })
  await jobs.serve(work(step('one'), stubborn, failing('three')))
  const id = await begin()
  await jobs.until(async () => tries > 0)
  await jobs.until(async () => {
    await jobs.sql('update job set cleanups = 5, not_before = now() where cleanups > 0 and owner is null')
    return (await jobs.view(id)).finished_at !== null
  })
  const task = await jobs.over(id)
  expect(task).toMatchObject({ state: 'failed', err_code: 'undo_failed' })
  expect(task.error).toContain('The disk is full')
  expect(task.error).toContain('stubborn')
  expect(tries).toBeGreaterThan(1)
  expect(await statesOf(id)).toEqual({ one: 'undone', stubborn: 'undo_failed', three: 'undone' })
  expect(task.steps![1]!.error).toBe('the switch does not answer')
})

test('undoing continues after a server dies, and nothing is undone twice', { tags: 'all' }, async () => {
  const hangs = step('two', { undo: () => new Promise(() => undefined) })
  await jobs.serve(work(step('one'), hangs, failing('three')), { replica: 'dies' })
  const id = await begin()
  await jobs.until(async () => (await jobs.view(id)).steps?.[1]?.state === 'undoing')
  await jobs.sql('update job set owner = null, attempt = attempt + 1')
  await jobs.serve(work(step('one'), step('two'), failing('three')), { replica: 'goes on' })
  expect(await jobs.over(id)).toMatchObject({ state: 'failed', error: 'The disk is full' })
  expect(done.filter((name) => name.startsWith('undo'))).toEqual(['undo three', 'undo two', 'undo one'])
})

/** A step that asks a question and records the answer. */
function asking(more: Partial<AskPerson> = {}) {
  const answers: PersonAnswer[] = []
  const asks = step('asks', {
    async run({ answer }) {
      if (!answer) return question(more)
      answers.push(answer)
    },
  })
  return { asks, answers }
}

test('a step that asks a person waits without occupying a slot and continues after the answer', async () => {
  const { asks, answers } = asking({ values: { machines: 3 } })
  const tasks = await jobs.serve(work(asks, step('two')))
  const id = await begin()
  await isPaused(id)
  const task = await jobs.view(id)
  expect(Task.parse(task)).toEqual(task)
  expect(task.question).toMatchObject({
    ...{ name: 'keep_network', values: { machines: 3 }, choices: ['keep', 'roll_back'], otherwise: 'roll_back' },
  })
  expect(Date.parse(task.question!.deadline)).toBeGreaterThan(Date.now() + 500_000)
  await jobs.until(() => tasks.running() === 0)
  const asked = { question: task.question!.id }
  const refuse = (answer: object, scope = me) =>
    expect(tasks.answer(scope, id, { ...asked, choice: 'keep', ...answer }))
  await refuse({ choice: 'burn' }).rejects.toMatchObject({
    code: 'validation',
    fields: { choice: [expect.any(String)] },
  })
  await refuse({ question: 'another' }).rejects.toMatchObject({ code: 'invalid_state' })
  await refuse({}, projectScope('p2')).rejects.toMatchObject({ code: 'not_found' })
  await expect(tasks.resume(me, id)).rejects.toMatchObject({ code: 'invalid_state' })
  await tasks.answer(me, id, { ...asked, choice: 'keep' })
  await refuse({}).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await jobs.over(id)).toMatchObject({ state: 'success', question: null })
  expect(answers).toEqual([{ choice: 'keep', by: me.user_id }])
  expect(done).toEqual(['two'])
})

test('if there is no answer by the deadline, the default choice is used', async () => {
  const { asks, answers } = asking({ within: 200 })
  await jobs.serve(work(asks))
  expect(await jobs.over(await begin())).toMatchObject({ state: 'success' })
  expect(answers).toEqual([{ choice: 'roll_back', by: null }])
})

test(
  'if there is neither an answer nor a default choice, the task fails and its steps are undone',
  { tags: 'all' },
  async () => {
    await jobs.serve(work(step('one'), asking({ within: 100, otherwise: null }).asks))
    const id = await begin()
    expect(await jobs.over(id)).toMatchObject({ state: 'failed', err_code: 'nobody_answered', question: null })
    expect(done).toEqual(['one', 'undo asks', 'undo one'])
  },
)

test('a task that is waiting for a person can be cancelled immediately', { tags: 'all' }, async () => {
  const tasks = await jobs.serve(work(step('one'), asking().asks))
  const id = await begin()
  await isPaused(id)
  await tasks.cancel(me, id)
  expect(await jobs.over(id)).toMatchObject({ state: 'cancelled', question: null })
  expect(done).toEqual(['one', 'undo asks', 'undo one'])
})

test('a question survives the server that asked it, and is asked only once', async () => {
  const { asks, answers } = asking()
  const one = await jobs.serve(work(asks))
  const id = await begin()
  await isPaused(id)
  const { question: asked } = await jobs.view(id)
  await one.close()
  const two = await jobs.serve(work(asks), { replica: 'two' })
  await jobs.sql('update job set not_before = now()')
  await jobs.until(async () => (await jobs.sql('select from job where not_before > now()')).length === 1)
  expect((await jobs.view(id)).question).toEqual(asked)
  await two.answer(me, id, { question: asked!.id, choice: 'keep' })
  await jobs.over(id)
  expect(answers).toHaveLength(1)
})

test('a task with steps pauses after the current step and continues when it is resumed', { tags: 'all' }, async () => {
  let pause = async () => {}
  const tasks = await jobs.serve(work(step('one', { run: () => pause() }), step('two')))
  const id = await jobs.fixture.inventory.transaction(async (records) => {
    const started = await records.startJob({
      ...{ name: 'work', subject: { kind: 'server', id: 's1', name: '' }, args: {}, scope: me, steps: ['one', 'two'] },
    })
    pause = async () => {
      expect(await tasks.pause(me, started)).toMatchObject({ state: 'running', is_pausing: true })
    }
    return started
  })
  await isPaused(id)
  expect(await jobs.view(id)).toMatchObject({ is_pausing: false, question: null })
  expect(await statesOf(id)).toEqual({ one: 'done', two: 'waiting' })
  await expect(tasks.pause(me, id)).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(tasks.resume(projectScope('p2'), id)).rejects.toMatchObject({ code: 'not_found' })
  // claiming the job while it is paused changes nothing
  await jobs.sql('update job set not_before = now()')
  await jobs.sql(`select pg_notify('${JOBS_CHANNEL}', '')`)
  await jobs.until(async () => (await jobs.sql('select from job where not_before > now()')).length === 1)
  expect(done).toEqual([])
  expect(await tasks.resume(me, id)).toMatchObject({ state: 'running' })
  expect(await jobs.over(id)).toMatchObject({ state: 'success' })
  expect(done).toEqual(['two'])
  await expect(tasks.resume(me, id)).rejects.toMatchObject({ code: 'invalid_state' })
})

test('refuses to pause a task without steps', async () => {
  const tasks = await jobs.serve({ work: { run: ({ signal }) => sleep(60_000, undefined, { signal }) } })
  const id = await jobs.begin()
  await expect(tasks.pause(me, id)).rejects.toMatchObject({ code: 'invalid_state' })
})

test(
  'a step that has crashed its server twice is abandoned, and completed steps are undone',
  { tags: 'all' },
  async () => {
    await jobs.serve(work(step('one'), step('two', { run: () => new Promise(() => undefined) })), { replica: 'dies' })
    const id = await begin()
    await jobs.until(async () => (await jobs.view(id)).steps?.[1]?.state === 'running')
    await jobs.sql('update job set owner = null, attempt = attempt + 1, takeovers = 2')
    await jobs.serve(work(step('one'), step('two')), { replica: 'goes on' })
    expect(await jobs.over(id)).toMatchObject({ state: 'failed', err_code: 'job_gave_up' })
    expect(await statesOf(id)).toEqual({ one: 'undone', two: 'undone' })
  },
)

test('refuses jobs without steps or with duplicate step names', async () => {
  const tasks = await jobs.serve({})
  for (const names of [['one', 'one'], []])
    expect(() => tasks.handle(`bad ${names.length}`, { steps: names.map((name) => step(name)) })).toThrow('names')
})
