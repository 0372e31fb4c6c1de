import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { isAlive } from '../../store/folder-lock'

test('stops PostgreSQL and removes its folder when a test run is killed', { tags: 'all' }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-run-'))
  const program = fileURLToPath(new URL('./holder.ts', import.meta.url))
  const holder = spawn(process.execPath, ['--import', 'tsx', program, folder, 'alone'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  const pid = Number((await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
  expect(isAlive(pid)).toBe(true)
  holder.kill('SIGKILL')
  await vi.waitFor(() => expect([isAlive(pid), existsSync(folder)]).toEqual([false, false]))
})
