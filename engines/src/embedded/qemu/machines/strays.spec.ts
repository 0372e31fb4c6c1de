import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../tools/lib/vitest/host-features'
import { cleanUp, dataFolder, open, until } from '../testbed'

describe('a machine that was being started when the server was killed', { timeout: 60_000, ...needs('QEMU') }, () => {
  const folder = dataFolder()
  const started: ChildProcess[] = []
  let opened: Awaited<ReturnType<typeof open>> | undefined
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL')
    if (opened) await cleanUp(opened.hypervisor, folder)
  })

  /** Starts a process of a machine without recording it. */
  async function left(id: string, ...words: string[]): Promise<ChildProcess> {
    const cwd = join(folder, 'machines', id)
    mkdirSync(cwd, { recursive: true })
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', ...words], {
      cwd,
      stdio: 'ignore',
    })
    started.push(child)
    await until('it to run', () => existsSync(`/proc/${child.pid}/cwd`))
    return child
  }

  test(
    'leaves no process behind that holds its disks, and other processes in its folder are not affected',
    { tags: 'all' },
    async () => {
      const [id, other] = ['0b6ad0fc-0000-4000-8000-000000000001', '0b6ad0fc-0000-4000-8000-000000000002']
      const stray = await left(id, '-name', `guest=${id},debug-threads=on`)
      const [shell, namesake] = [await left(id, 'looking around'), await left(other, '-name', `guest=${id}0`)]
      opened = await open(folder)
      await until('the stray to be gone', () => stray.signalCode === 'SIGKILL')
      expect([shell, namesake].map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null])
    },
  )
})
