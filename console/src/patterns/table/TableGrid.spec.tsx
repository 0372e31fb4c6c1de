import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import type { List, Row } from '../../api/use-list'
import { loadTexts } from '../../i18n/use-t'
import { withLayout } from '../../testing/browser'
import { renderUi } from '../../testing/render-ui'
import { cardColumns, type Column } from './columns'
import type { Selection } from './selection'
import { TableGrid } from './TableGrid'

withLayout()
beforeAll(() => loadTexts('patterns'))

const name = {
  id: 'name',
  area: 'patterns',
  label: 'table.actions',
  render: ({ id }: Row) => id,
  sortKey: '',
  width: 200,
}
const columns = [name as unknown as Column<Row>]
const loadMore = vi.fn()
beforeEach(() => loadMore.mockClear())

function show(count: number, hasMore = false) {
  const rows = Array.from({ length: count }, (_, at) => ({ id: `row-${at}` }))
  const kind = { name: 'thing', sortKeys: {} }
  const list = { kind, sort: {}, rows, total: count, hasMore, loadMore } as unknown as List
  renderUi(<TableGrid list={list} label="Things" columns={columns} actions={undefined} selection={undefined} />)
}
/** Number of rendered rows without the header. */
const drawn = () => document.querySelectorAll('[data-row]').length
const focused = () => document.activeElement?.getAttribute('data-row')

it('renders a short list completely and supports keyboard navigation', () => {
  show(60)
  expect(drawn()).toBe(60)
  act(() => document.querySelector<HTMLElement>('[data-row="row-0"]')!.focus())
  fireEvent.keyDown(document.activeElement!, { key: 'ArrowDown' })
  expect(focused()).toBe('row-1')
  fireEvent.keyDown(document.activeElement!, { key: 'End' })
  expect(focused()).toBe('row-59')
  fireEvent.keyDown(document.activeElement!, { key: 'PageUp' })
  expect(focused()).toBe('row-49')
})

it(
  'renders only the visible rows of a long list, with spacers, and announces the total count',
  { tags: 'all' },
  async () => {
    await act(async () => show(1000))
    // 800 px of 36 px rows, plus overscan
    await waitFor(() => expect(drawn()).toBeLessThan(40))
    expect(drawn()).toBeGreaterThan(22)
    expect(screen.getByRole('grid', { name: 'Things' }).getAttribute('aria-rowcount')).toBe('1001')
    const room = [...document.querySelectorAll<HTMLElement>('tbody > tr[aria-hidden]')].map((row) =>
      parseInt(row.style.blockSize),
    )
    expect(room).toEqual([(1000 - drawn()) * 36])
  },
)

it('loads the next page near the end of the rows, but not before', () => {
  show(60, true)
  expect(loadMore).not.toHaveBeenCalled()
  const scroller = screen.getByRole('grid').parentElement!
  scroller.scrollTop = (60 - 22 - 15 - 1) * 36
  fireEvent.scroll(scroller)
  expect(loadMore).not.toHaveBeenCalled()
  scroller.scrollTop += 36
  fireEvent.scroll(scroller)
  expect(loadMore).toHaveBeenCalledTimes(1)
})

it('loads the next page immediately if the first one does not fill the screen', () => {
  show(20, true)
  expect(loadMore).toHaveBeenCalled()
})

it('opens a row’s link on a click outside its controls', () => {
  const opened = vi.fn((event: Event) => event.preventDefault())
  const render = ({ id }: Row) => (
    <>
      <a href="/there" onClick={(event) => opened(event.nativeEvent)}>
        {id}
      </a>
      <button type="button">own</button> words
    </>
  )
  const list = { kind: { name: 'thing', sortKeys: {} }, sort: {}, rows: [{ id: 'a' }], total: 1, loadMore }
  renderUi(
    <TableGrid
      list={list as unknown as List}
      label="Things"
      columns={[{ ...name, render } as unknown as Column<Row>]}
      actions={undefined}
      selection={undefined}
    />,
  )
  const cell = screen.getByText(/words/)
  fireEvent.click(screen.getByRole('button', { name: 'own' }))
  fireEvent.click(cell, { ctrlKey: true })
  fireEvent.click(cell, { shiftKey: false, metaKey: true })
  expect(opened).not.toHaveBeenCalled()
  fireEvent.click(cell)
  expect(opened).toHaveBeenCalledTimes(1)
  // a click on the link itself counts once
  fireEvent.click(screen.getByRole('link', { name: 'a' }))
  expect(opened).toHaveBeenCalledTimes(2)
})

it('extends the selection once on Shift+click on or next to the checkbox', () => {
  const did = vi.fn()
  const list = { kind: { name: 'thing', sortKeys: {} }, sort: {}, rows: [{ id: 'a' }], total: 1, loadMore }
  const selection = {
    isSelected: () => false,
    toggle: ({ id }: Row) => did('one', id),
    extendTo: ({ id }: Row) => did('range', id),
  }
  renderUi(
    <TableGrid
      list={list as unknown as List}
      label="Things"
      columns={columns}
      actions={undefined}
      selection={selection as unknown as Selection<Row>}
    />,
  )
  const box = screen.getByRole('checkbox', { name: 'Select a' })
  const beside = screen.getByText('a')
  fireEvent.click(box)
  expect(did.mock.calls).toEqual([['one', 'a']])
  for (const pressed of [box, beside]) {
    did.mockClear()
    fireEvent.click(pressed, { shiftKey: true })
    expect(did.mock.calls).toEqual([['range', 'a']])
  }
})

it('opens the row menu on right click, except over a link', async () => {
  const link = ({ id }: Row) => <a href="/there">{id}</a>
  const words = { ...name, id: 'words', render: () => 'words' }
  const list = { kind: { name: 'thing', sortKeys: {} }, sort: {}, rows: [{ id: 'a' }], total: 1, loadMore }
  renderUi(
    <TableGrid
      list={list as unknown as List}
      label="Things"
      columns={[{ ...name, render: link }, words] as unknown as Column<Row>[]}
      actions={() => [{ label: 'Start', run: () => {} }]}
      selection={undefined}
    />,
  )
  // the browser's own menu is not suppressed
  expect(fireEvent.contextMenu(screen.getByRole('link', { name: 'a' }))).toBe(true)
  expect(fireEvent.contextMenu(screen.getByText('words'))).toBe(false)
  const item = await screen.findByRole('menuitem', { name: 'Start' })
  // clicks in an overlay bubble through the row but do not open it
  const opened = vi.spyOn(HTMLAnchorElement.prototype, 'click')
  fireEvent.click(item.parentElement!)
  expect(opened).not.toHaveBeenCalled()
  opened.mockRestore()
})

const column = (id: string, card: Column<Row>['card']) =>
  ({ ...name, id, label: 'table.actions', render: () => `${id} here`, card }) as unknown as Column<Row>

it('shows name, state and the first three values on a card, with unlabeled values first', () => {
  const all = [
    column('name', 'plain'),
    column('size', 'named'),
    column('state', 'state'),
    column('used', 'named'),
    column('address', 'plain'),
    column('owner', 'plain'),
  ]
  expect(cardColumns(all).map(({ id }) => id)).toEqual(['name', 'state', 'address', 'size', 'used'])
  expect(cardColumns(all.slice(0, 1)).map(({ id }) => id)).toEqual(['name'])
})

it('renders only the visible cards in a long list on narrow screens', async () => {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('max-width'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }))
  try {
    await act(async () => show(1000))
    await waitFor(() => expect(drawn()).toBeLessThan(30))
    const room = [...document.querySelectorAll<HTMLElement>('tbody > tr[aria-hidden]')].map((row) =>
      parseInt(row.style.blockSize),
    )
    expect(room).toEqual([(1000 - drawn()) * 60])
    act(() => document.querySelector<HTMLElement>('[data-row="row-0"]')!.focus())
    fireEvent.keyDown(document.activeElement!, { key: 'ArrowDown' })
    expect(focused()).toBe('row-1')
  } finally {
    vi.unstubAllGlobals()
  }
})
