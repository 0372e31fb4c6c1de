import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { instances } from '@mainstay/contract/compute/instances'
import { startEmbeddedPostgres } from '../server/src/store/embedded-postgres'
import { signIn } from '../server/src/testing/api-client'
import { silentLogger } from '../server/src/testing/silent-logger'
import { ADMIN_PASSWORD, databaseProcess, startProgram } from '../server/src/testing/server-program'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'

const ROUNDS = quick ? 1 : 3

/** Measures the server's start time with an empty and an existing data folder, and its memory usage when idle. */
export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const times: Record<'first' | 'second' | 'bareFirst' | 'bareSecond', number[]> = {
      first: [],
      second: [],
      bareFirst: [],
      bareSecond: [],
    }
    const memory: { server: number; database: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await newFolder()
      times.bareFirst.push(await postgresStart(bare))
      times.bareSecond.push(await postgresStart(bare))
      const folder = await newFolder()
      const first = await startProgram({ folder, hypervisor: 'qemu' })
      times.first.push(first.readyAfterMs)
      await first.stop()
      const second = await startProgram({ folder, hypervisor: 'qemu' })
      times.second.push(second.readyAfterMs)
      const api = await signIn(second.url, { username: 'admin', password: ADMIN_PASSWORD })
      await api.call(instances.list)
      memory.push(await idleMemory(second.pid, (await databaseProcess(folder))!))
      await second.stop()
    }
    const median = (values: number[]) => quantile(values, 0.5)
    const start = (name: string, ours: number[], bare: number[]): Row => ({
      name,
      unit: 's',
      value: median(ours) / 1000,
      against: { name: 'PostgreSQL alone', value: median(bare) / 1000 },
    })
    return [
      start('server: first start, on an empty folder', times.first, times.bareFirst),
      start('server: second start', times.second, times.bareSecond),
      { name: 'server: idle memory', unit: 'MB', value: median(memory.map((it) => it.server)) },
      { name: 'server: idle memory of its PostgreSQL', unit: 'MB', value: median(memory.map((it) => it.database)) },
    ]
  })
}

async function postgresStart(dataFolder: string): Promise<number> {
  const started = performance.now()
  const { stop } = await startEmbeddedPostgres({ dataFolder, log: silentLogger })
  const took = performance.now() - started
  await stop()
  return took
}

/** Returns the memory usage of both processes once it stops shrinking: the minimum over four seconds. */
async function idleMemory(server: number, database: number): Promise<{ server: number; database: number }> {
  let least = { server: Infinity, database: Infinity }
  for (let look = 0; look < 16; look++) {
    const now = { server: residentMB(server), database: [database, ...childrenOf(database)].reduce(sumOfShares, 0) }
    least = { server: Math.min(least.server, now.server), database: Math.min(least.database, now.database) }
    await pause(250)
  }
  return least
}

const residentMB = (pid: number) => kilobytes(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB$/m) / 1000
/** Adds up proportional set sizes (PSS), because PostgreSQL processes share most of their memory. */
const sumOfShares = (sum: number, pid: number) =>
  sum + kilobytes(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB$/m) / 1000

function kilobytes(file: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
  } catch {
    // the PostgreSQL process has just exited
    return 0
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
