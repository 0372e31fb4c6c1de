import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Entity } from '@mainstay/engines/ports/records'
import { createInventory } from '../server/src/inventory/inventory'
import { sqlOf } from '../server/src/session/sql'
import { openStore } from '../server/src/store/store'
import { silentLogger } from '../server/src/testing/silent-logger'
import { quantile, type Row } from './protocol'
import { quick } from './support/quick'

const WRITERS = 12
const ROUNDS = quick ? 2 : 5
const ROUND_MS = quick ? 1000 : 3000
/** Flush time of an ordinary disk or network storage, in microseconds. */
const FLUSH_US = 5000

const task = (id: string): Task & Entity => ({
  ...{ id, task_id: id, name: 'compute.server.create', state: 'running', kwargs: {}, event: null },
  ...{ args: [{ kind: 'server', id: `server ${id}`, name: 'web' }], result: null, progress: 0, error: null },
  ...{ flow: null, cancellable: false, user_id: 'u', project_id: 'p', domain_id: 'd' },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z', finished_at: null },
})

/**
 * Measures the time per write on the bundled database when many writers update different rows, compared with a single
 * writer. The writes update task progress, the most frequent kind of write. Measured on this machine's disk, where the
 * CPU may be the bottleneck, and on a simulated slow disk, where writers must not wait for each other.
 */
export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-bench-'))
  const store = await openStore({ databaseUrl: null, dataFolder: folder, log: silentLogger })
  const inventory = await createInventory({ store, log: silentLogger })
  try {
    const ids = Array.from({ length: WRITERS }, (_, at) => `task-${at}`)
    await inventory.applyObservations(ids.map((id) => ({ op: 'put', kind: taskKind.name, entity: task(id) })))
    let count = 0
    const write = (writer: number): Promise<void> =>
      inventory.transaction(async (records) => {
        const row = await records.lock(taskKind.name, ids[writer]!)
        await records.put(taskKind.name, { ...row!, progress: count++ })
      })
    /** Returns the milliseconds per write. */
    const cost = async (writers: number): Promise<number> => {
      const began = performance.now()
      let written = 0
      await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          while (performance.now() - began < ROUND_MS) {
            await write(writer)
            written++
          }
        }),
      )
      return (performance.now() - began) / written
    }
    const compared = async (name: string): Promise<Row> => {
      const costs: { alone: number; together: number }[] = []
      await cost(WRITERS)
      // alternating, so that other load on the machine affects both
      for (let round = 0; round < ROUNDS; round++) costs.push({ alone: await cost(1), together: await cost(WRITERS) })
      const middle = (of: 'alone' | 'together'): number =>
        quantile(
          costs.map((it) => it[of]),
          0.5,
        )
      return { name, unit: 'ms', value: middle('together'), against: { name: 'one writer', value: middle('alone') } }
    }
    const onThisDisk = await compared('writes: one of 12 writers of different rows')
    await delayFlushes(sqlOf(store.db))
    return [onThisDisk, await compared('writes: one of 12 writers of different rows, on a disk that flushes in 5 ms')]
  } finally {
    inventory.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Delays every database flush by `FLUSH_US`. Commits that arrive during the delay share one flush, as on a slow disk.
 */
async function delayFlushes(sql: Sql): Promise<void> {
  await sql.query(`alter system set commit_delay = ${FLUSH_US}`)
  await sql.query('alter system set commit_siblings = 0')
  await sql.query('select pg_reload_conf()')
  const isDelayed = async () =>
    (await sql.query<{ delay: string }>("select current_setting('commit_delay') as delay"))[0]?.delay ===
    String(FLUSH_US)
  while (!(await isDelayed())) await sleep(50)
}
