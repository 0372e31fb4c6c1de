import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { taskKind, type Task } from '@mainstay/contract/core/tasks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openScene, projectScope, type Scene } from '../testing/postgres-scenes'
import { quiet } from '../testing/quiet'
import { createTasks } from './tasks'

let scene: Scene
beforeEach(async () => {
  scene = await openScene()
})
afterEach(() => scene.close())

const me = projectScope('p1')
const state = async (id: string) =>
  (await scene.inventory.view<Task & { [field: string]: unknown }>(taskKind, me, id)).state

/** A server in a process of its own that begins every job and ends none. */
async function otherServer(replica: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('../testing/postgres-hanging-server.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, scene.url, replica], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

async function takenOverAfterKill(replicaOfDead: string): Promise<{ seconds: number; attempt: number }> {
  const child = await otherServer(replicaOfDead)
  const id = await scene.inventory.transaction((records) =>
    records.startJob({ name: 'hang', subject: { kind: 'server', id: 's1', name: '' }, args: {}, scope: me }),
  )
  while ((await state(id)) !== 'running') await sleep(20)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const killed = performance.now()
  let attempt = 0
  const tasks = createTasks({ ...scene, log: quiet, replica: 'mine' })
  tasks.handle('hang', { run: async (job) => void (attempt = job.attempt) })
  await tasks.start()
  while ((await state(id)) !== 'success') await sleep(20)
  const seconds = (performance.now() - killed) / 1000
  await tasks.close()
  return { seconds, attempt }
}

test('a job of a server that was killed is taken over within 10 s by another one', async () => {
  const { seconds, attempt } = await takenOverAfterKill('theirs')
  expect(seconds).toBeLessThan(10)
  expect(attempt).toBe(2)
}, 60_000)

test('the next start on the same data folder goes on at once', async () => {
  const { seconds, attempt } = await takenOverAfterKill('mine')
  expect(seconds).toBeLessThan(2)
  expect(attempt).toBe(2)
}, 60_000)
