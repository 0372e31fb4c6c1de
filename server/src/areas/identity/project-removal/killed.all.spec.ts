import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks } from '@mainstay/contract/core/tasks'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { volumes } from '@mainstay/contract/storage/volumes'
import { expect, it, vi } from 'vitest'
import { apiClient, signIn } from '../../../testing/api-client'
import { newDataFolder } from '../../../testing/data-folder'
import { ADMIN_PASSWORD, removeData, startProgram } from '../../../testing/server-program'

const administrator = { username: 'admin', password: ADMIN_PASSWORD }
const unhurried = { timeout: 60_000, interval: 50 }
const MANY = 45

it(
  'resumes deleting a project after the server is killed and leaves nothing behind',
  { timeout: 300_000 },
  async () => {
    const folder = await newDataFolder()
    let program = await startProgram({ folder })
    try {
      let api = await signIn(program.adminUrl, administrator)
      const { domain_id } = await api.call(session.whoami)
      const { id } = await api.call(projects.create, { params: { domain_id }, body: { name: 'doomed' } })
      const { token } = await api.call(session.enterProject, { params: { id } })
      const inside = apiClient(program.adminUrl, token)
      for (let count = 0; count < MANY; count += 1)
        await inside.call(serverGroups.create, { body: { name: `group ${count}`, policy: 'affinity' } })
      await inside.call(volumes.create, { body: { name: 'disk', size: GiB } })
      const { task_id } = await api.call(projects.deleteWithContents, { params: { domain_id, id } })
      const left = async () => (await api.call(projects.contents, { params: { domain_id, id } })).counts
      await vi.waitFor(async () => expect((await left())['serverGroups']).toBeLessThan(MANY), unhurried)
      await program.kill()
      program = await startProgram({ folder })
      api = await signIn(program.adminUrl, administrator)
      await vi.waitFor(
        async () => expect(await api.call(tasks.view, { params: { id: task_id } })).toMatchObject({ state: 'success' }),
        unhurried,
      )
      await expect(left()).rejects.toMatchObject({ code: 'not_found' })
    } finally {
      await program.kill()
      await removeData(folder)
    }
  },
)
