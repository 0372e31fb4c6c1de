import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { EVERY } from '@mainstay/contract/protection/schedules'
import { beforeAll, expect, test } from 'vitest'
import { ruleText } from '../../../i18n/said'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { changeOf, draftOf, newPlan, planField, planForm, startOf } from './plan-form'

beforeAll(() => loadTexts('protection'))

const at = '2026-11-22T02:00:00.000Z'
const stored: BackupPlan = {
  ...{ id: 'a', name: 'nightly', description: '', status: 'Scheduled', disabled: false },
  schedule: {
    ...{ month: EVERY, week: EVERY, day_of_week: EVERY, day: EVERY, hour: '2', minute: '0' },
    recovery_points_rotation: 7,
  },
  properties: { recovery_points_rotation: 7 },
  ...{ volume_ids: [], volumes_count: 0, next_run: at, last_run: null, test_restore: 'never', last_test: null },
  ...{ project_id: 'p', domain_id: 'd', user_id: 'u', created_at: at, updated_at: at },
}
const start = startOf(stored)
const faults = async (change: object) => {
  const { error } = planForm(textsNow('protection')).safeParse({ ...start, ...change })
  const issues = error?.issues ?? []
  return Promise.all(issues.map(async ({ path, message }) => `${path.join('.')}: ${await ruleText(message)}`))
}

test('sends a new plan with the default schedule', () => {
  expect(draftOf({ ...newPlan(), name: 'nightly' })).toEqual({
    ...{ name: 'nightly', description: '', disabled: false, test_restore: 'never' },
    schedule: { month: EVERY, week: EVERY, day_of_week: EVERY, day: EVERY, hour: '2', minute: '0' },
    properties: { recovery_points_rotation: 7 },
  })
})

test('sends only the changed fields of a plan', () => {
  expect(changeOf(stored, start)).toEqual({})
  expect(changeOf(stored, { ...start, name: 'weekly', enabled: false })).toEqual({ name: 'weekly', disabled: true })
  expect(changeOf(stored, { ...start, test_restore: true })).toEqual({ test_restore: 'weekly' })
  expect(changeOf(stored, { ...start, rotation: 9 })).toEqual({ properties: { recovery_points_rotation: 9 } })
  expect(changeOf(stored, { ...start, hour: [2, 14] })).toEqual({
    schedule: { month: EVERY, week: EVERY, day_of_week: EVERY, day: EVERY, hour: '2,14', minute: '0' },
  })
})

test('requires a choice in every list, and a day on which the plan runs', async () => {
  expect(await faults({})).toEqual([])
  expect(await faults({ month: [], day_of_week: [], day: [], hour: [] })).toEqual([
    'month: Choose at least one month',
    'day_of_week: Choose at least one weekday',
    'day: Choose at least one day of the month',
    'hour: Choose at least one start hour',
  ])
  expect(await faults({ month: [2], day: [30] })).toEqual([
    'day: No day matches this schedule. Change the months, weekdays or days.',
  ])
  expect(await faults({ rotation: 101 })).toEqual(['rotation: Enter a whole number from 1 to 100'])
})

test.each([
  ['name', 'name'],
  ['schedule', 'hour'],
  ['schedule.day_of_week', 'day_of_week'],
  ['schedule.minute', 'hour'],
  ['properties.recovery_points_rotation', 'rotation'],
])('shows an error of the server about %s at the field %s', (path, field) => {
  expect(planField(path)).toBe(field)
})
