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

/* Notifications about failed object storage tasks. */

const slow = { timeout: 60_000 }
const long = { timeout: 120_000 }
withObjectStorage()

/**
 * Copies or moves the folder `letters` to a destination where its only file already exists. Returns the finished task.
 */
async function clash(bucket: string, action: 'Copy' | 'Move'): Promise<Task> {
  await openPrepared(`/buckets/files/${bucket}`, async () => {
    await createBucket(bucket)
    for (const key of ['letters/one', 'archive/letters/one']) await putObject(bucket, key, key, {})
  })
  showTaskNotices()
  await pressAndLoad(await screen.findByRole('button', { name: 'Actions for letters' }, slow))
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
  ['Copy', 'Cannot copy all files from “clash-copy/letters/”'],
  ['Move', 'Cannot move all files from “clash-move/letters/”'],
] as const)(
  'shows a toast with its own title and the server’s error when a task fails: %s [ER-059]',
  long,
  async (action, title) => {
    const task = await clash(`clash-${action.toLowerCase()}`, action)
    expect(task.state).toBe('failed')
    // simulate the WebSocket event
    taskChanged(task)
    await screen.findByText(title, {}, slow)
    await screen.findByText('The action failed for 1 of 1 objects', {}, slow)
    expect(useNotices.getState().notices.find(({ task: of }) => of?.id === task.id)).toMatchObject({ type: 'error' })
  },
)
