import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { expect, test } from 'vitest'
import { needs } from './host-features'

const run = `
const { default: setup } = await import(${JSON.stringify(new URL('leftovers.mjs', import.meta.url).href)})
const { spawn } = await import('node:child_process')
setup()
const start = () => spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).pid
const [one, stopped] = [start(), start()]
process.kill(stopped, 'SIGSTOP')
process.stdout.write([one, stopped].join(' ') + '\\n')
setInterval(() => undefined, 1000)`

const isThere = (pid: number) => existsSync(`/proc/${pid}`)

test('ends the processes that specs started when the run is killed', needs('processes in /proc'), async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', run], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(String(data))),
  )
  const pids = said.trim().split(' ').map(Number)
  expect(pids.map(isThere)).toEqual([true, true])
  child.kill('SIGKILL')
  await expect.poll(() => pids.map(isThere)).toEqual([false, false])
})
