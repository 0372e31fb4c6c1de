import { beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { CallProblem } from '../api/problem'
import { loadTexts } from '../i18n/use-t'
import { renderUi } from '../testing/render-ui'
import type { BulkAction } from './bulk'
import { BulkDialog } from './BulkDialog'

interface Item {
  id: string
  name: string
}
const items = ['web', 'db', 'cache', 'mail'].map((name) => ({ id: `id of ${name}`, name }))
const refused = (message: string) =>
  Promise.reject(new CallProblem({ kind: 'validation', status: 409, code: 'in_use', message }))

beforeAll(() => Promise.all([loadTexts('patterns'), loadTexts('shell')]))

it('groups the names of what failed by the message, and tries those again [ER-022]', async () => {
  const run = vi.fn(({ name }: Item) =>
    name === 'web' ? Promise.resolve() : refused(name === 'mail' ? 'It is locked' : 'It is in use'),
  )
  const action: BulkAction<Item> = {
    label: 'Delete',
    ask: (count) => `Delete ${count}?`,
    verb: () => 'Delete',
    done: (count) => `${count} deleted`,
    run,
  }
  renderUi(<BulkDialog action={action} items={items} onClose={() => {}} />)
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }))
  const names = async (message: string) => {
    const group = (await screen.findByText(message)).closest('li')!
    return within(group)
      .getAllByRole('listitem')
      .map((it) => it.textContent)
  }
  expect(await names('It is in use')).toEqual(['db', 'cache'])
  expect(await names('It is locked')).toEqual(['mail'])
  expect(screen.queryByText('web')).toBeNull()
  run.mockClear()
  fireEvent.click(screen.getByRole('button', { name: /again|Retry/ }))
  await vi.waitFor(() => expect(run.mock.calls.map(([{ name }]) => name)).toEqual(['db', 'cache', 'mail']))
})
