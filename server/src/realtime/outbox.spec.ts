import type { Change } from '@mainstay/contract/core/events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createOutbox } from './outbox'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const change = (revision: number, id: string): Change => ({
  revision,
  kind: 'thing',
  id,
  op: 'put',
  project_id: null,
  domain_id: null,
  at: '',
  entity: { id },
})

function open() {
  const sent: Change[][] = []
  const state = { buffered: 0, gaveUp: false }
  const outbox = createOutbox({
    send: (changes) => void sent.push(changes),
    bufferedBytes: () => state.buffered,
    soon: (work) => work(),
    giveUp: () => void (state.gaveUp = true),
  })
  return { outbox, sent, state }
}

test('a later change to a row replaces earlier ones, and revisions stay in order', () => {
  const { outbox, sent } = open()
  outbox.add(change(1, 'a'))
  outbox.add(change(2, 'b'))
  outbox.add(change(3, 'a'))
  vi.advanceTimersByTime(100)
  expect(sent.map((batch) => batch.map(({ revision }) => revision))).toEqual([[2, 3]])
})

test('sends nothing to a slow reader until it catches up', () => {
  const { outbox, sent, state } = open()
  state.buffered = 10 * 1024 * 1024
  for (let round = 0; round < 100; round++) outbox.add(change(round, `row ${round % 10}`))
  vi.advanceTimersByTime(2000)
  expect(sent).toEqual([])
  expect(outbox.isBehind()).toBe(true)
  state.buffered = 0
  vi.advanceTimersByTime(200)
  expect(sent.flat()).toHaveLength(10)
  expect(outbox.isBehind()).toBe(false)
})

test('gives up on a reader that falls too far behind, and drops its changes', () => {
  const { outbox, sent, state } = open()
  state.buffered = 10 * 1024 * 1024
  for (let round = 0; round < 6000; round++) outbox.add(change(round, `row ${round}`))
  expect(state.gaveUp).toBe(true)
  state.buffered = 0
  vi.advanceTimersByTime(1000)
  expect(sent).toEqual([])
})
