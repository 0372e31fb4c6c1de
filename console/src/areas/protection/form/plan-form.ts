import { Description, ResourceName } from '@mainstay/contract/core/names'
import { says } from '@mainstay/contract/core/said'
import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { nextRuns, Rotation } from '@mainstay/contract/protection/schedules'
import * as z from 'zod'
import type { Translate } from '../../../i18n/use-t'
import {
  DEFAULT_PRESET,
  isComplete,
  isSameSchedule,
  presetValues,
  timesOf,
  toggledFields,
  valuesOf,
  type ScheduleValues,
} from '../schedule/schedule-values'

export interface PlanValues extends ScheduleValues {
  name: string
  description: string
  enabled: boolean
  /** Whether restores are tested every week. */
  test_restore: boolean
}

export const newPlan = (): PlanValues => ({
  ...{ name: '', description: '', enabled: true, test_restore: false },
  ...presetValues(DEFAULT_PRESET),
})

export const startOf = (plan: BackupPlan): PlanValues => ({
  ...{ name: plan.name, description: plan.description, enabled: !plan.disabled },
  test_restore: plan.test_restore === 'weekly',
  ...valuesOf(plan.schedule, plan.properties.recovery_points_rotation),
})

export const planForm = (t: Translate<'protection'>) =>
  z
    .object({
      name: ResourceName,
      description: Description,
      month: z.array(z.number()).min(1, t('schedule.chooseMonth')),
      day_of_week: z.array(z.number()).min(1, t('schedule.chooseWeekday')),
      day: z.array(z.number()).min(1, t('schedule.chooseDay')),
      hour: z.array(z.number()).min(1, t('schedule.chooseHour')),
      minute: z.string(),
      week: z.string(),
      rotation: Rotation,
      enabled: z.boolean(),
      test_restore: z.boolean(),
    })
    .superRefine((values, context) => {
      if (isComplete(values) && nextRuns(timesOf(values), new Date(), 1).length === 0)
        context.addIssue({ code: 'custom', path: ['day'], message: says('protection.schedule_never') })
    })

export const draftOf = (values: PlanValues) => ({
  ...{ name: values.name, description: values.description },
  schedule: timesOf(values),
  properties: { recovery_points_rotation: values.rotation },
  disabled: !values.enabled,
  test_restore: values.test_restore ? ('weekly' as const) : ('never' as const),
})

/** Only the changed fields, so that concurrent edits to different fields do not overwrite each other. */
export function changeOf(plan: BackupPlan, values: PlanValues) {
  const { name, description, schedule, properties, disabled, test_restore } = draftOf(values)
  return {
    ...(name !== plan.name && { name }),
    ...(description !== plan.description && { description }),
    ...(!isSameSchedule(schedule, plan.schedule) && { schedule }),
    ...(properties.recovery_points_rotation !== plan.properties.recovery_points_rotation && { properties }),
    ...(disabled !== plan.disabled && { disabled }),
    ...(test_restore !== plan.test_restore && { test_restore }),
  }
}

/** Maps a field path from an API error to a form field. */
export function planField(path: string): string {
  const [first, second] = path.split('.')
  if (path.endsWith('recovery_points_rotation')) return 'rotation'
  if (first !== 'schedule') return path
  return toggledFields.find((field) => field === second) ?? 'hour'
}
