import { imageImports } from '@mainstay/contract/compute/image-imports'
import { images } from '@mainstay/contract/compute/images'
import { taskIsOver, tasks } from '@mainstay/contract/core/tasks'
import { rawDisk } from '@mainstay/engines/conformance/images'
import { expect, it, vi } from 'vitest'
import { signIn } from '../../testing/api-client'
import { newDataFolder } from '../../testing/data-folder'
import { startFileHost, trustFileHost } from '../../testing/outside/file-host'
import { ADMIN_PASSWORD, removeData, startProgram } from '../../testing/server-program'

const unhurried = { timeout: 60_000, interval: 100 }

it('restarts an import after the server is killed and creates a single image', { timeout: 300_000 }, async () => {
  const folder = await newDataFolder()
  const host = await startFileHost({ '/disk.raw': rawDisk() })
  const start = () => startProgram({ folder, environment: trustFileHost })
  let program = await start()
  try {
    const enter = () => signIn(program.url, { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' })
    let api = await enter()
    host.hold()
    const body = { url: `${host.url}/disk.raw`, name: 'after all' }
    const { task_id } = await api.call(imageImports.create, { body })
    await vi.waitFor(async () => {
      const { data } = await api.call(images.list)
      expect(data).toMatchObject([{ name: 'after all', status: 'uploading' }])
    }, unhurried)
    await program.kill()
    host.letGo()
    program = await start()
    api = await enter()
    await vi.waitFor(async () => {
      const task = await api.call(tasks.view, { params: { id: task_id } })
      expect(taskIsOver(task.state)).toBe(true)
      expect(task.state).toBe('success')
    }, unhurried)
    expect((await api.call(images.list)).data).toMatchObject([{ name: 'after all', status: 'active' }])
    expect(host.asked).toEqual(['/disk.raw', '/disk.raw'])
  } finally {
    await program.kill()
    await host.close()
    await removeData(folder)
  }
})
