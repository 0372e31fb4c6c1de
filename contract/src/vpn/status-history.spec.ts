import { expect, test } from 'vitest'
import { MAX_STATUS_HISTORY, withStatus } from './status-history'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()

test('keeps the last status changes with time and reason', () => {
  const fresh = { status: 'PENDING_CREATE' as const, reason: null, status_changed_at: at(0) }
  let row = withStatus(fresh, 'DOWN', 'The peer does not respond', at(1))
  expect(row).toEqual({
    ...{ status: 'DOWN', reason: 'The peer does not respond', status_changed_at: at(1) },
    status_history: [{ at: at(1), status: 'DOWN', reason: 'The peer does not respond' }],
  })
  // a new reason for the same status does not change its start time
  row = withStatus(row, 'DOWN', 'The peer has another key', at(2))
  expect(row).toMatchObject({ status_changed_at: at(1), reason: 'The peer has another key' })
  for (let minute = 3; minute < 3 + 2 * MAX_STATUS_HISTORY; minute++)
    row = withStatus(row, minute % 2 ? 'ACTIVE' : 'DOWN', null, at(minute))
  expect(row.status_history).toHaveLength(MAX_STATUS_HISTORY)
  expect(row.status_history.at(-1)!.at).toBe(at(2 + 2 * MAX_STATUS_HISTORY))
})
