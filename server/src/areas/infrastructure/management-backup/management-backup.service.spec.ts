import { expect, test } from 'vitest'
import {
  isDue,
  isOverdue,
  nothingSet,
  plannedTimes,
  withConfirmedKey,
  withPendingKey,
  type BackupSetting,
} from './management-backup.service'

const at = (text: string) => new Date(`2026-11-${text}Z`)
const configured: BackupSetting = {
  ...nothingSet,
  place: { kind: 'folder', path: '/mnt/backup' },
  key: { recipient: 'age1x', created_at: '2026-11-20T12:00:00Z', created_by: 'admin' },
}
const ran = (started_at: string): BackupSetting => ({
  ...configured,
  runs: [{ started_at, ended_at: started_at, error: null }],
})

test('the daily backup is planned at its hour, UTC', () => {
  expect(plannedTimes({ hour: 3 }, at('22T02:59:59'))).toEqual({ last: at('21T03:00:00'), next: at('22T03:00:00') })
  expect(plannedTimes({ hour: 3 }, at('22T03:00:00'))).toEqual({ last: at('22T03:00:00'), next: at('23T03:00:00') })
})

test('a backup is due once after each planned time, and also if the server was down at that time', () => {
  expect(isDue(configured, at('20T23:00:00')), 'a new configuration waits').toBe(false)
  expect(isDue(configured, at('21T03:00:00'))).toBe(true)
  expect(isDue(configured, at('21T09:00:00')), 'the server was down at 03:00').toBe(true)
  expect(isDue(ran('2026-11-21T09:00:10Z'), at('21T10:00:00')), 'it ran late').toBe(false)
  expect(isDue(ran('2026-11-21T09:00:10Z'), at('22T03:00:00'))).toBe(true)
  // the clock was set back an hour after the run
  expect(isDue(ran('2026-11-22T03:00:10Z'), at('22T02:30:00'))).toBe(false)
  expect(isDue(nothingSet, at('22T03:00:00')), 'nothing is configured').toBe(false)
})

test('a configured backup is overdue if none is newer than 24 hours', () => {
  expect(isOverdue(nothingSet, at('30T00:00:00'))).toBe(false)
  expect(isOverdue(configured, at('21T11:00:00'))).toBe(false)
  expect(isOverdue(configured, at('21T13:00:00'))).toBe(true)
  const backup = { name: 'b', location: '/b', created_at: '2026-11-22T03:00:00Z', size: 1, sha256: '', recipient: '' }
  const backups = [{ ...backup, verified_at: backup.created_at, version: '1' }]
  expect(isOverdue({ ...configured, backups }, at('23T03:00:00'))).toBe(false)
  expect(isOverdue({ ...configured, backups }, at('23T03:00:01'))).toBe(true)
})

test('a new key is used only after an operator has typed its last characters', () => {
  const identity = 'AGE-SECRET-KEY-1QQQQ7X9Z'
  const pending = withPendingKey(configured, { recipient: 'age1new', identity, by: 'ada' })
  expect(JSON.stringify(pending)).not.toContain('7X9Z')
  expect(pending.key).toEqual(configured.key)
  expect(() => withConfirmedKey(pending, { recipient: 'age1new', ending: 'AAAA' })).toThrow(
    /do not match the end of the new key/,
  )
  expect(() => withConfirmedKey(pending, { recipient: 'age1other', ending: '7X9Z' })).toThrow(/newer key/)
  const confirmed = withConfirmedKey(pending, { recipient: 'age1new', ending: '7x9z' })
  expect(confirmed).toMatchObject({ key: { recipient: 'age1new', created_by: 'ada' }, pending: null })
})
