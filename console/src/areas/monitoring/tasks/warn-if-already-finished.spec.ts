import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Task } from '@mainstay/contract/core/tasks'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { removeNotice, useNotices } from '../../../notices/notices'
import { warnIfAlreadyFinished } from './warn-if-already-finished'

const over = (state: Task['state']) => {
  const task = { id: 't', name: 'compute.volume.create', state, error: null, args: [{ name: 'data' }], kwargs: {} }
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ data: [task], pages: [], revision: 1 }))))
}
const texts = () => useNotices.getState().notices.map(({ title, message }) => [title, message])

beforeAll(() => loadTexts('tasks'))
beforeEach(() => {
  for (const { id } of useNotices.getState().notices) removeNotice(id)
})
afterEach(() => vi.unstubAllGlobals())

it('reports a task that finished before it could be cancelled', async () => {
  over('success')
  await warnIfAlreadyFinished('t', textsNow('tasks'))
  expect(texts()).toEqual([['Too late to cancel the task', 'Volume “data” created']])
})

it.each(['cancelled', 'failed'] as const)('reports nothing for a task that is %s', async (state) => {
  over(state)
  await warnIfAlreadyFinished('t', textsNow('tasks'))
  expect(texts()).toEqual([])
})
