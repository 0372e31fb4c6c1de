import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { expect, it } from 'vitest'
import { plannedRuns } from './planned'

const plan = (name: string, next_run: string | null, schedule: Partial<BackupPlan['schedule']>): BackupPlan => ({
  ...{ id: name, name, description: '', status: 'Scheduled', disabled: false, volume_ids: [], volumes_count: 1 },
  ...{ test_restore: 'never', last_test: null },
  schedule: {
    ...{ month: '*', day_of_week: '*', day: '*', hour: '2', minute: '0', week: '*', recovery_points_rotation: 7 },
    ...schedule,
  },
  ...{ properties: { recovery_points_rotation: 7 }, next_run, last_run: null, project_id: '', domain_id: '' },
  ...{ user_id: '', created_at: '', updated_at: '' },
})

it('shows each plan once on each day on which it runs, in local time', () => {
  const plans = [
    // 23:00 UTC is the next day in Berlin
    plan('late', '2026-11-20T23:00:00Z', { hour: '23', day_of_week: '4' }),
    plan('hourly', '2026-11-20T10:00:00Z', { hour: '*' }),
    plan('disabled', null, {}),
  ]
  const runs = plannedRuns(plans, '2026-11-22', 'Europe/Berlin')
  const shown = [...runs].map(([day, list]) => [day, list.map(({ plan: { name }, at }) => [name, at.toISOString()])])
  expect(Object.fromEntries(shown)).toEqual({
    '2026-11-20': [['hourly', '2026-11-20T10:00:00.000Z']],
    '2026-11-21': [
      ['late', '2026-11-20T23:00:00.000Z'],
      ['hourly', '2026-11-20T23:00:00.000Z'],
    ],
    '2026-11-22': [['hourly', '2026-11-21T23:00:00.000Z']],
  })
})
