import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen } from '@testing-library/react'
import type { List } from '../../api/use-list'
import { loadTexts } from '../../i18n/use-t'
import { pressAndLoad } from '../../testing/press-and-load'
import { renderUi } from '../../testing/render-ui'
import type { BulkAction } from '../bulk-run/bulk'
import type { Selection } from './selection'
import { TableBar } from './TableBar'

beforeAll(() => loadTexts('patterns'))
afterEach(() => vi.unstubAllGlobals())

const action = (label: string, isRare = false): BulkAction<{ id: string }> => ({
  label,
  isRare,
  ask: () => label,
  verb: () => label,
  call: { action: 'delete' },
})

const isLocked = { ...action('Move'), skippedBecause: ({ id }: { id: string }) => (id === 'b' ? 'Locked' : undefined) }

/** Renders the bar with three selected rows. */
function show(
  onBulk = (_action: BulkAction<{ id: string }>) => {},
  more: Partial<Selection<{ id: string }>> = {},
  labels = ['Start', 'Delete'],
) {
  const list = { rows: [], total: 3, filters: {}, search: '' } as unknown as List
  const selection = { count: 3, isAllShown: true, isAllMatching: false, ...more } as unknown as Selection<{
    id: string
  }>
  const [first, ...others] = labels.map((label) => action(label))
  const bulk = [first!, ...(more.known ? [isLocked] : []), ...others, action('Shelve', true)]
  const none = { filters: [], groupFields: [], columns: [], shown: [] }
  const given = { list, label: 'machines', ...none, onColumns: () => {}, isOwnColumns: true, selection, bulk }
  renderUi(<TableBar {...given} onBulk={onBulk} />)
}

const buttons = () =>
  screen.getAllByRole('button').map((it) => it.getAttribute('aria-label') ?? it.textContent?.replace('…', '').trim())

it('shows common bulk actions as buttons and rare ones in a menu', () => {
  show()
  expect(buttons()).toEqual(['Start', 'Delete', 'More actions', 'Clear selection'])
})

it('on medium screens, keeps the first two actions and the last one as buttons', () => {
  const wide = matchMedia
  vi.stubGlobal('matchMedia', (query: string) => Object.assign(wide(query), { matches: query.includes('1439px') }))
  show()
  expect(buttons()).toEqual(['Start', 'Delete', 'More actions', 'Clear selection'])
  show(undefined, {}, ['Start', 'Shut down', 'Power off', 'Reboot', 'Delete'])
  expect(buttons().slice(4)).toEqual(['Start', 'Shut down', 'Delete', 'More actions', 'Clear selection'])
})

it('on narrow screens, moves all actions into one menu to keep the height', async () => {
  const wide = matchMedia
  vi.stubGlobal('matchMedia', (query: string) => Object.assign(wide(query), { matches: query.includes('max-width') }))
  const run = vi.fn()
  show(run)
  expect(buttons()).toEqual(['Actions', 'Clear selection'])
  await pressAndLoad(screen.getByRole('button', { name: 'Actions' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }))
  expect(run.mock.calls.map(([{ label }]) => label)).toEqual(['Delete'])
})

it('offers to reset the columns only if they were changed', async () => {
  const onColumns = vi.fn()
  const list = { rows: [], filters: {}, search: '' } as unknown as List
  const none = { filters: [], groupFields: [], columns: [], shown: [], bulk: [], onBulk: () => {} }
  const selection = { count: 0 } as unknown as Selection<{ id: string }>
  const bar = (isOwnColumns: boolean) => (
    <TableBar {...{ list, label: 'machines', ...none, onColumns, isOwnColumns, selection }} />
  )
  const own = renderUi(bar(true))
  await pressAndLoad(screen.getByRole('button', { name: 'Columns' }))
  await screen.findByRole('menu', { name: 'Columns' })
  expect(screen.queryByRole('menuitem', { name: 'Reset columns' })).toBeNull()
  own.unmount()
  renderUi(bar(false))
  await pressAndLoad(screen.getByRole('button', { name: 'Columns' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Reset columns' }))
  expect(onColumns.mock.calls).toEqual([[null]])
})

it('shows how many selected objects an action applies to', () => {
  show(undefined, { known: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] })
  expect(buttons()).toEqual(['Start', 'Move 2', 'Delete', 'More actions', 'Clear selection'])
})
