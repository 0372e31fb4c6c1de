import { QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, screen } from '@testing-library/react'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import { volumeKind } from '@mainstay/contract/storage/volumes'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { call } from '../../api/call'
import { queryClient } from '../../api/query-client'
import { loadTexts } from '../../i18n/use-t'
import { renderUi } from '../../testing/render-ui'
import { SavedViews } from './SavedViews'

vi.mock('../../api/call')

const asked: [verb: string, input: unknown][] = []
const kept = {
  id: 'v1',
  kind: 'volume',
  name: 'Broken',
  created_at: '',
  query: { status: 'in:error', sort: 'size:desc', groupBy: 'status' },
}

beforeAll(() => Promise.all([loadTexts('patterns'), loadTexts('shell'), loadTexts('savedViews')]))
beforeEach(() => {
  queryClient.clear()
  asked.length = 0
  vi.mocked(call).mockImplementation(async ({ verb }: Endpoint, input: unknown) => {
    asked.push([verb, input])
    return verb === 'GET' ? { data: [kept] } : kept
  })
})

const setFilters = vi.fn()
const onClose = vi.fn()
const list = {
  kind: volumeKind as unknown as Kind,
  filters: { name: 'web' },
  search: 'a',
  sort: { key: 'name', direction: 'asc' } as const,
  groupBy: 'bootable',
  setFilters,
}
const show = () =>
  renderUi(
    <QueryClientProvider client={queryClient}>
      <SavedViews list={list} onClose={onClose} />
    </QueryClientProvider>,
  )

it('replaces filters, search, sort and grouping with those of the selected view', async () => {
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Broken' }))
  const [changes, search] = setFilters.mock.calls[0]! as [Record<string, string | null>, string]
  expect(changes).toMatchObject({ status: 'in:error', sort: 'size:desc', groupBy: 'status', name: null })
  expect(search).toBe('')
  expect(onClose).toHaveBeenCalledOnce()
})

it('saves the current view under a name, and deletes a view', async () => {
  show()
  fireEvent.change(await screen.findByRole('textbox', { name: 'Name' }), { target: { value: ' Web ' } })
  fireEvent.click(screen.getByRole('button', { name: 'Save view' }))
  const query = { name: 'web', search: 'a', sort: 'name:asc', groupBy: 'bootable' }
  await vi.waitFor(() => expect(asked).toContainEqual(['POST', { body: { kind: 'volume', name: 'Web', query } }]))
  fireEvent.click(await screen.findByRole('button', { name: 'Delete view “Broken”' }))
  await vi.waitFor(() => expect(asked).toContainEqual(['DELETE', { params: { id: 'v1' } }]))
})

it('requires a view name of 2 to 32 characters and checks it before sending [VA-038]', async () => {
  show()
  const field = await screen.findByRole('textbox', { name: 'Name' })
  const save = (name: string) => {
    fireEvent.change(field, { target: { value: name } })
    expect(field.getAttribute('aria-invalid')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Save view' }))
  }
  const wrong = [
    ['a', 'Use at least 2 characters'],
    [' a ', 'Use at least 2 characters'],
    ['x'.repeat(33), 'Use at most 32 characters'],
  ] as const
  for (const [name, told] of wrong) {
    save(name)
    expect(await screen.findByText(told)).toBeTruthy()
    expect(field.getAttribute('aria-invalid')).toBe('true')
  }
  expect(asked.map(([verb]) => verb)).not.toContain('POST')
  for (const name of ['ab', 'x'.repeat(32)]) {
    save(name)
    await vi.waitFor(() => expect(asked).toContainEqual(['POST', { body: expect.objectContaining({ name }) }]))
    await vi.waitFor(() => expect((field as HTMLInputElement).value).toBe(''))
  }
})
