import { tasks, taskIsOver, type Task } from '@mainstay/contract/core/tasks'
import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { taskChanged } from '../../../notices/expected-tasks'
import { useNotices } from '../../../notices/notices'
import { showTaskNotices } from '../../../notices/task-notices'
import { pressAndLoad } from '../../../testing/press-and-load'
import { openPrepared, owner, withObjectStorage } from '../../../testing/object-storage'
import { server } from '../../../testing/pages'
import { createBucket } from '../client/buckets'
import { putObject } from '../client/objects'

/* Tasks of object storage that fail, as the corner tells them to whoever began them. */

const slow = { timeout: 30_000 }
const long = { timeout: 120_000 }
withObjectStorage()

/** The folder `letters` of a bucket, copied or moved to where its only file is already; the task that comes of it, at its end. */
async function clash(bucket: string, action: 'Copy' | 'Move'): Promise<Task> {
  await openPrepared(`/buckets/files/${bucket}`, async () => {
    await createBucket(bucket)
    for (const key of ['letters/one', 'archive/letters/one']) await putObject(bucket, key, key, {})
  })
  showTaskNotices()
  await pressAndLoad(await screen.findByRole('button', { name: 'Actions of letters' }, slow))
  fireEvent.click(await screen.findByRole('menuitem', { name: `${action} to` }, slow))
  const form = within(await screen.findByRole('dialog', { name: `${action} “letters”` }, slow))
  fireEvent.change(form.getByLabelText('Folder'), { target: { value: 'archive' } })
  fireEvent.click(form.getByRole('button', { name: action }))
  return vi.waitFor(async () => {
    const name = `object_storage.objects.${action.toLowerCase()}`
    const { data } = await server.call(tasks.list, { as: owner, query: { name } })
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
