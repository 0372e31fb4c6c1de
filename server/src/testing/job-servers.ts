import { setTimeout as sleep } from 'node:timers/promises'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import type { JobHandler, JobPool, JobStart, SteppedHandler } from '@mainstay/engines/ports/records'
import type { Inventory } from '../inventory/types'
import { joinServers, type HeartbeatTimes, type ThisServer } from '../store/servers'
import type { Store } from '../store/store'
import type { PoolSize } from '../tasks/pools'
import { createTasks } from '../tasks/tasks'
import type { Tasks } from '../tasks/types'
import { openInventoryFixture, projectScope, type InventoryFixture } from './inventory-fixture'
import { silentLogger } from './silent-logger'

export const me = projectScope('p1')
type TaskRow = Task & { [field: string]: unknown }

export interface ServeOptions {
  replica?: string
  pools?: Partial<Record<JobPool, PoolSize>>
  times?: Partial<HeartbeatTimes>
  at?: { store: Store; inventory: Inventory }
  unknownNameMs?: number
  /** Nodes that the server can reach. */
  nodes?: readonly string[]
}

/** Servers that run jobs on one database, which is emptied between tests. Used by many job specs. */
export interface JobServers {
  fixture: InventoryFixture
  /** Starts a server with these handlers; call again for more servers. */
  serve(
    handlers: Record<string, JobHandler | SteppedHandler>,
    options?: ServeOptions,
  ): Promise<Tasks & { server: ThisServer }>
  /** Starts a job, by default `work` on `server/s1` in project p1. Returns the ID of its task. */
  begin(job?: Partial<JobStart>): Promise<string>
  view(id: string): Promise<TaskRow>
  /** Resolves with the task once it has ended. */
  over(id: string): Promise<TaskRow>
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** Waits for a condition, with a generous time limit for slow machines. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>
  /** Moves all of a server's timestamps back by `seconds`, as if it had been silent since then. */
  silence(epoch: string, seconds: number): Promise<void>
  /** Closes all servers and removes all jobs. */
  clear(): Promise<void>
  close(): Promise<void>
}

const LONGEST_MS = 30_000

export async function openJobServers(): Promise<JobServers> {
  const fixture = await openInventoryFixture()
  const running: { tasks: Tasks; server: ThisServer }[] = []
  const view = (id: string) => fixture.inventory.view<TaskRow>(taskKind, me, id)
  const sql = async <Row>(text: string, values: unknown[] = []) =>
    (await fixture.store.pool.query(text, values)).rows as Row[]
  const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    const end = performance.now() + LONGEST_MS
    while (!(await condition())) {
      if (performance.now() > end) throw new Error('this did not come about')
      await sleep(10)
    }
  }
  const clear = async (): Promise<void> => {
    for (const { tasks, server } of running.splice(0)) {
      await tasks.close()
      await server.leave()
    }
    await sql('delete from job')
    await sql('delete from server')
  }
  return {
    fixture,
    view,
    sql,
    until,
    clear,
    async serve(handlers, { replica = 'r1', pools = {}, times = {}, at = fixture, nodes = [], ...more } = {}) {
      const server = await joinServers({ connection: fixture.store.connection, log: silentLogger, replica, times })
      const tasks = createTasks({ ...at, log: silentLogger, server, pools, ...more })
      for (const [name, handler] of Object.entries(handlers)) tasks.handle(name, handler)
      running.push({ tasks, server })
      await tasks.holdNodes(nodes)
      await tasks.start()
      return { ...tasks, server }
    },
    begin: (job = {}) =>
      fixture.inventory.transaction((records) =>
        records.startJob({
          ...{ name: 'work', subject: { kind: 'server', id: 's1', name: 'web' }, args: {}, scope: me },
          ...job,
        }),
      ),
    async over(id) {
      await until(async () => taskIsOver((await view(id)).state))
      return view(id)
    },
    async silence(epoch, seconds) {
      await sql('update server set seen_at = seen_at - make_interval(secs => $2) where epoch = $1', [epoch, seconds])
      await sql('update job set lease_until = lease_until - make_interval(secs => $2) where owner = $1', [
        epoch,
        seconds,
      ])
    },
    async close() {
      await clear()
      await fixture.close()
    },
  }
}
