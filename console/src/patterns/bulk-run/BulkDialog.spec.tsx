import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import type { BulkObject } from '@mainstay/contract/core/bulk-runs'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { QueryClientProvider } from '@tanstack/react-query'
import { call } from '../../api/call'
import { queryClient } from '../../api/query-client'
import { loadTexts } from '../../i18n/use-t'
import { renderUi } from '../../testing/render-ui'
import type { BulkAction } from './bulk'
import { BulkDialog } from './BulkDialog'

vi.mock('../../api/call')

interface Item {
  id: string
  name: string
}
const items = ['web', 'db', 'cache', 'mail'].map((name) => ({ id: `id of ${name}`, name }))
const action: BulkAction<Item> = {
  label: 'Delete',
  ask: (count) => `Delete ${count}?`,
  verb: (count) => `Delete ${count} machines`,
  skippedBecause: ({ name }) => (name === 'mail' ? 'It is locked' : undefined),
  call: { action: 'delete' },
}

/** Server responses by path. */
let server: Record<string, (input: { body?: unknown; params?: unknown }) => unknown>
const asked: [path: string, body: unknown][] = []

beforeAll(() => Promise.all([loadTexts('patterns'), loadTexts('shell'), loadTexts('bulk')]))
beforeEach(() => {
  queryClient.clear()
  asked.length = 0
  server = {}
  vi.mocked(call).mockImplementation((async (endpoint: Endpoint, input: { body?: unknown }) => {
    asked.push([endpoint.path, input.body])
    return server[endpoint.path]!(input)
  }) as never)
})

const checked = (refusals: Record<string, string>) => () => ({
  ...{ count: 3, unchecked: 0 },
  data: items
    .filter(({ name }) => name !== 'mail')
    .map(({ id, name }) => ({
      id,
      name,
      refusal: refusals[name] ? { code: 'in_use', message: refusals[name] } : null,
    })),
})
const runOf = (states: Partial<Record<string, number>>, count: number, id = 'run') => ({
  ...{ id, task_id: `task of ${id}`, kind: 'server', action: 'delete', count, created_at: '' },
  states: { waiting: 0, running: 0, done: 0, failed: 0, cancelled: 0, ...states },
})
const object = (name: string, state: BulkObject['state'], error: string | null): BulkObject => ({
  ...{ number: 1, id: `id of ${name}`, name, state, error, task_ids: [], err_code: null },
})

const onClose = vi.fn()
const show = () =>
  renderUi(
    <QueryClientProvider client={queryClient}>
      <BulkDialog kind="server" action={action} items={items} onClose={onClose} />
    </QueryClientProvider>,
  )
const namesUnder = async (message: string) => {
  const group = (await screen.findByText(message)).closest('li')!
  return within(group)
    .getAllByRole('listitem')
    .map((it) => it.textContent)
}

it('leaves out objects that the server would refuse, with the reason, before it starts', async () => {
  server['/api/v2/bulk_runs/check'] = checked({ db: 'It is in use' })
  show()
  expect(await namesUnder('It is in use')).toEqual(['db'])
  expect(await namesUnder('It is locked')).toEqual(['mail'])
  expect(screen.getByRole('alertdialog', { name: 'Delete 2?' })).toBeTruthy()
  expect(asked).toEqual([
    ['/api/v2/bulk_runs/check', { kind: 'server', action: 'delete', ids: ['id of web', 'id of db', 'id of cache'] }],
  ])
})

it('groups failed objects by their error and retries them [ER-022]', async () => {
  server = {
    '/api/v2/bulk_runs/check': checked({}),
    '/api/v2/bulk_runs': () => runOf({ waiting: 3 }, 3),
    '/api/v2/bulk_runs/:id': ({ params }) =>
      (params as { id: string }).id === 'run' ? runOf({ done: 1, failed: 3 }, 4) : runOf({ running: 3 }, 3, 'again'),
    '/api/v2/bulk_runs/:id/objects': () => ({
      data: [
        object('web', 'done', null),
        object('db', 'failed', 'It is in use'),
        object('proxy', 'failed', 'It is protected'),
        object('cache', 'failed', 'It is in use'),
      ],
    }),
    '/api/v2/bulk_runs/:id/retry': () => runOf({ waiting: 3 }, 3, 'again'),
  }
  show()
  const begin = await screen.findByRole('button', { name: 'Delete 3 machines' })
  await vi.waitFor(() => {
    fireEvent.click(begin)
    expect(asked.map(([path]) => path)).toContain('/api/v2/bulk_runs')
  })
  expect(await namesUnder('It is in use')).toEqual(['db', 'cache'])
  expect(await namesUnder('It is protected')).toEqual(['proxy'])
  expect(screen.queryByText('web')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: /Retry/ }))
  expect(await screen.findByText('0 of 3 done')).toBeTruthy()
  // the run continues without the dialog
  fireEvent.click(screen.getByRole('button', { name: 'Continue in the background' }))
  expect(onClose).toHaveBeenCalledWith(true)
})
