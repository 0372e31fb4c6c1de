import { tasks, taskIsOver, type Task } from '@mainstay/contract/core/tasks'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { fireEvent, screen, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { queryClient } from '../../../api/query-client'
import { taskChanged } from '../../../notices/expected-tasks'
import { removeNotice, useNotices } from '../../../notices/notices'
import { tellTasks } from '../../../notices/task-notices'
import { withLayout } from '../../../testing/browser'
import { openBy } from '../../../testing/open-by'
import { renderPage } from '../../../testing/render-page'
import { createBucket } from '../client/buckets'
import { putObject } from '../client/objects'

/* Tasks of object storage that fail, as the corner tells them to whoever began them. */

const as = 'project-member@alpha-one'
const slow = { timeout: 30_000 }
const long = { timeout: 120_000 }
let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
  await server.call(s3Service.create, { as: 'superuser' })
})
afterAll(() => server.close())
beforeEach(() => {
  queryClient.clear()
  for (const { id } of useNotices.getState().notices) removeNotice(id)
})
afterEach(() => {
  page?.close()
  page = undefined
})

/** The folder `letters` of a bucket, copied or moved to where its only file is already; the task that comes of it, at its end. */
async function clash(bucket: string, action: 'Copy' | 'Move'): Promise<Task> {
  page = await renderPage('/s3-storage/access', { server, as })
  await screen.findByRole('heading', { name: 'Access keys' }, slow)
  await createBucket(bucket)
  for (const key of ['letters/one', 'archive/letters/one']) await putObject(bucket, key, key, {})
  await page.router.navigate({ to: `/s3-storage/buckets/files/${bucket}` })
  tellTasks()
  await openBy(await screen.findByRole('button', { name: 'Actions of letters' }, slow))
  fireEvent.click(await screen.findByRole('menuitem', { name: `${action} to` }, slow))
  const form = within(await screen.findByRole('dialog', { name: `${action} “letters”` }, slow))
  fireEvent.change(form.getByLabelText('Folder'), { target: { value: 'archive' } })
  fireEvent.click(form.getByRole('button', { name: action }))
  return vi.waitFor(async () => {
    const name = `object_storage.objects.${action.toLowerCase()}`
    const { data } = await server.call(tasks.list, { as, query: { name } })
    expect(data.map(({ state }) => taskIsOver(state))).toEqual([true])
    return data[0]!
  }, slow)
}

it.each([
  ['Copy', 'Cannot copy all files of “clash-copy/letters/”'],
  ['Move', 'Cannot move all files of “clash-move/letters/”'],
] as const)(
  'a task of object storage that fails shows a toast with its own title and the server’s words: %s [ER-059]',
  long,
  async (action, title) => {
    const task = await clash(`clash-${action.toLowerCase()}`, action)
    expect(task.state).toBe('failed')
    // as the socket tells it
    taskChanged(task)
    await screen.findByText(title, {}, slow)
    await screen.findByText('1 of 1 could not be done', {}, slow)
    expect(useNotices.getState().notices.find(({ task: of }) => of?.id === task.id)).toMatchObject({ type: 'error' })
  },
)
