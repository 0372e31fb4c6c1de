import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomOf, rounds, seedOr } from '../../../tools/lib/tier.mjs'
import { openJobServers, type JobServers } from '../testing/job-servers'

let jobs: JobServers
beforeAll(async () => {
  jobs = await openJobServers()
  await jobs.sql('create table storm_act (number bigint generated always as identity, task_id text, act text)')
})
afterAll(() => jobs.close())

const JOBS = 40
const KILLS = 6
const names = ['one', 'two', 'three', 'four']

async function begin(replica: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('../testing/postgres/stepping-server.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, jobs.fixture.url, replica], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const places = names.map((name) => `undo ${name}`)
const firsts = (acts: readonly string[]) => [...new Set(acts)]

test(
  'frequent kills lose no job with steps: each job is completed in order or undone in reverse order',
  { timeout: 3_600_000 },
  async () => {
    const seed = seedOr(1)
    const random = randomOf(seed)
    for (let round = 0; round < rounds({ gate: 1, all: 2, long: 60 }); round++) {
      const servers = [await begin('one'), await begin('two')]
      const ids = await Promise.all(
        Array.from({ length: JOBS }, (_, n) =>
          jobs.begin({
            ...{ name: 'stepped', subject: { kind: 'server', id: `s${n % 20}`, name: '' }, steps: names },
            holds: n % 4 === 0 ? [{ kind: 'cluster', id: 'c1', name: '' }] : [],
            args: { asks: n % 3 === 0, ...(n % 5 === 0 && { fails: names[n % 4] }) },
          }),
        ),
      )
      for (let kills = 0; kills < KILLS; kills++) {
        await sleep(100 + 400 * random())
        const at = random() < 0.5 ? 0 : 1
        await kill(servers[at]!)
        // marks the server as silent instead of waiting
        const replica = at === 0 ? 'one' : 'two'
        const dead = await jobs.sql<{ epoch: string }>('select epoch from server where replica = $1', [replica])
        for (const { epoch } of dead) await jobs.silence(epoch, 30)
        servers[at] = await begin(replica)
      }
      for (const [n, id] of ids.entries()) {
        const told = `seed ${seed}, round ${round}, job ${n}`
        const { state, steps, err_code } = await jobs.over(id)
        const acts = (
          await jobs.sql<{ act: string }>('select act from storm_act where task_id = $1 order by number', [id])
        ).map(({ act }) => act)
        const done = firsts(acts.filter((act) => !act.startsWith('undo')))
        const undone = firsts(acts.filter((act) => act.startsWith('undo')))
        expect(done, told).toEqual(names.slice(0, done.length))
        if (state === 'success') {
          expect([done, undone], told).toEqual([names, []])
          expect(
            steps!.map((step) => step.state),
            told,
          ).toEqual(names.map(() => 'done'))
          continue
        }
        // expected causes of failure: the job itself, or two servers that died during the same step or while undoing it
        expect([state, n % 5 === 0 || err_code === 'job_gave_up' || err_code === 'undo_failed'], told).toEqual([
          ...['failed', true],
        ])
        const stuck = steps!.filter((step) => step.state === 'undo_failed').map(({ name }) => name)
        expect(stuck.length > 0, told).toBe(err_code === 'undo_failed')
        // the last step may have begun without having done anything
        const begun = names.slice(0, steps!.filter((step) => step.state !== 'waiting').length)
        expect([done.length, done.length + 1], told).toContain(begun.length)
        for (const name of begun) expect(stuck.includes(name) || undone.includes(`undo ${name}`), told).toBe(true)
        expect(undone, told).toEqual(undone.toSorted((one, other) => places.indexOf(other) - places.indexOf(one)))
      }
      expect(await jobs.sql('select from job'), `seed ${seed}, round ${round}`).toEqual([])
      expect(await jobs.sql('select from job_hold')).toEqual([])
      for (const child of servers) await kill(child)
      await jobs.sql('delete from server')
    }
  },
)
