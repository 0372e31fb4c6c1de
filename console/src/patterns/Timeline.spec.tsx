import { beforeAll, expect, it } from 'vitest'
import { screen, within } from '@testing-library/react'
import { loadTexts } from '../i18n/use-t'
import { renderUi } from '../testing/render-ui'
import { Timeline, type HistoryEntry } from './Timeline'

beforeAll(() => loadTexts('patterns'))

const happening = (id: string, at: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  ...{ id, at, title: `Act ${id}`, tone: 'ok', result: 'Done', message: null, by: 'ann', changes: [] },
  ...more,
})
const change = (field: string, from: string | null, to: string | null, is_secret = false) => ({
  ...{ field, from, to, is_secret },
})

it('groups events by day and shows the user, the result and the error', () => {
  renderUi(
    <Timeline
      happenings={[
        happening('3', '2026-03-02T12:30:00Z', { tone: 'bad', result: 'Failed', message: 'No room left' }),
        happening('2', '2026-03-02T12:00:00Z'),
        happening('1', '2026-03-01T12:00:00Z'),
      ]}
    />,
  )
  expect(screen.getAllByRole('heading').map(({ textContent }) => textContent)).toEqual(['Mar 2, 2026', 'Mar 1, 2026'])
  const days = screen.getAllByRole('list').map((list) => within(list).getAllByRole('listitem'))
  expect(days.map((items) => items.length)).toEqual([2, 1])
  expect(days[0]![0]!.textContent).toMatch(/^Act 3Failed.*No room left.*ann$/)
  expect(days[0]![1]!.textContent).toMatch(/^Act 2Done/)
})

it('shows old and new values, but never those of secrets', () => {
  const changes = [change('name', 'old', 'new'), change('tag', null, 'web'), change('key', 'k', null)]
  const secret = change('admin_pass', 'hunter1', 'hunter2', true)
  renderUi(<Timeline happenings={[happening('1', '2026-03-01T12:00:00Z', { changes: [...changes, secret] })]} />)
  const values = [...document.querySelectorAll('dd')].map(({ textContent }) => textContent)
  expect(values).toEqual(['before old now new', 'now web', 'before k now none', 'set (value hidden)'])
  expect(document.body.textContent).not.toContain('hunter')
})

it('shows only the requested values for a failed change', () => {
  const changes = [change('name', 'old', 'new')]
  renderUi(<Timeline happenings={[happening('1', '2026-03-01T12:00:00Z', { changes, tone: 'bad' })]} />)
  expect(document.querySelector('dd')!.textContent).toBe('now new')
})
