import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runLogged } from './run.mjs'

const folder = mkdtempSync(path.join(tmpdir(), 'mainstay-run-'))
afterAll(() => rmSync(folder, { recursive: true }))
const log = path.join(folder, 'logs', 'run.log')
const logged = () => readFileSync(log, 'utf8')
const shell = (script: string, timeoutMs?: number) =>
  runLogged('sh', ['-c', script], timeoutMs === undefined ? { log } : { log, timeoutMs })

/** Checks the process state, because a zombie process still has a PID. */
function isRunning(pid: string) {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('returns the exit code and logs all output', async () => {
  const outcome = await shell('echo said; echo failed >&2; exit 3')
  expect(outcome).toMatchObject({ code: 3, timedOut: false, log })
  expect(logged()).toContain('said\n')
  expect(logged()).toContain('failed\n')
})

test('returns the CPU time of a command, including child processes that it waited for', async () => {
  const { cpuMs, seconds } = await shell('i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done; sleep 0.2')
  expect(cpuMs).toBeGreaterThan(20)
  expect(cpuMs).toBeLessThan(seconds * 1000)
  expect((await shell('sleep 0.2')).cpuMs).toBeLessThan(100)
})

test('stops a command and its child processes after the timeout', async () => {
  const outcome = await shell('sleep 60 & echo child $!; wait', 300)
  expect(outcome.timedOut).toBe(true)
  expect(outcome.code).not.toBe(0)
  expect(logged()).toContain('took longer than')
  const [, child = ''] = /child (\d+)/.exec(logged()) ?? []
  await expect.poll(() => isRunning(child)).toBe(false)
})

test('ends leftover child processes instead of waiting for them', async () => {
  const outcome = await shell('sleep 60 & echo child $!')
  expect(outcome).toMatchObject({ code: 0, timedOut: false })
  expect(outcome.seconds).toBeLessThan(30)
  const [, child = ''] = /child (\d+)/.exec(logged()) ?? []
  await expect.poll(() => isRunning(child)).toBe(false)
})

test('reports a missing command as failed', async () => {
  expect(await runLogged('no-such-command-here', [], { log })).toMatchObject({ code: 127 })
})
