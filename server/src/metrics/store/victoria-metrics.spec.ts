import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { serviceUser } from '@mainstay/engines/host/service-users'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { silentLogger } from '../../testing/silent-logger'
import { openMetricsStore } from './metrics-store'
import { startVictoriaMetrics, type VictoriaMetrics } from './victoria-metrics'

let dataFolder: string
let running: VictoriaMetrics
beforeAll(async () => {
  dataFolder = await mkdtemp(path.join(tmpdir(), 'mainstay-metrics-'))
  running = startVictoriaMetrics({ dataFolder, log: silentLogger })!
  await running.ready
})
afterAll(async () => {
  await running.close()
  await rm(dataFolder, { recursive: true, force: true })
})

it('restarts the store with its data after it exits or is killed', { tags: 'all' }, async () => {
  const store = openMetricsStore({ address: running.address, close: async () => undefined })
  const value = async () => {
    const { data } = await store.ask('query', { query: 'last_over_time(mainstay_kept[1h])', labels: {} })
    return data.resultType === 'vector' ? data.result[0]?.value[1] : null
  }
  await store.push([`mainstay_kept 7 ${Date.now() - 5000}`])
  await store.flush!()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await vi.waitFor(async () => expect(await value()).toBe('7'), 20_000)
    const former = running.pid()!
    process.kill(former, signal)
    await vi.waitFor(() => expect([null, former]).not.toContain(running.address() && running.pid()), 20_000)
  }
  await vi.waitFor(async () => expect(await value()).toBe('7'), 20_000)
})

it('refuses requests without the password, and keeps the password out of the command line', async () => {
  const { url, headers } = running.address()!
  for (const page of [
    'flags',
    'metrics',
    'debug/pprof/',
    'debug/pprof/cmdline',
    'config',
    'targets',
    'snapshot/list',
    '',
  ]) {
    const { status } = await fetch(`${url}/${page}`)
    expect([401, 403], `${page}: ${status}`).toContain(status)
  }
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await fetch(`${url}/api/v1/query?query=1`)).status).toBe(401)
  const [, word = ''] = Buffer.from(headers['authorization']!.slice(6), 'base64').toString().split(':')
  const command = await readFile(`/proc/${running.pid()!}/cmdline`, 'utf8')
  expect(command).toContain('victoria-metrics')
  expect([word.length > 20, command.includes(word)]).toEqual([true, false])
})

it('runs as a separate user that owns all files, including those left by the database user', async () => {
  const folder = path.join(dataFolder, 'metrics')
  const [user, before] = [await serviceUser('metrics'), await serviceUser('db')]
  const uid = user?.uid ?? process.getuid!()
  const ofProcess = async () => /^Uid:\s*(\d+)/m.exec(await readFile(`/proc/${running.pid()!}/status`, 'utf8'))?.[1]
  expect(await ofProcess()).toBe(String(uid))
  await running.close()
  if (before) await promisify(execFile)('chown', ['-R', `${before.uid}:${before.gid}`, folder])
  running = startVictoriaMetrics({ dataFolder, log: silentLogger })!
  await running.ready
  expect(await ofProcess()).toBe(String(uid))
  const { stdout } = await promisify(execFile)('find', [folder, '-printf', '%U\n'])
  expect([...new Set(stdout.trim().split('\n'))]).toEqual([String(uid)])
})
