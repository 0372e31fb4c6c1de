import {
  EVERY,
  listOf,
  numbersOf,
  scheduleFields,
  schedulePresets,
  type SchedulePreset,
  type ScheduleTimes,
} from '@mainstay/contract/protection/schedules'

/** The lists that a form shows as toggles. */
export const toggledFields = ['month', 'day_of_week', 'day', 'hour'] as const
export type ToggledField = (typeof toggledFields)[number]

/** A schedule in a form. Named like the fields of the API, so that errors of the server find their field. */
export interface ScheduleValues extends Record<ToggledField, number[]> {
  /** As stored: the form does not change minutes and weeks, which only programs set. */
  minute: string
  week: string
  rotation: number
}

const presetIds = ['rotation-7', 'rotation-14', 'custom'] as const satisfies readonly SchedulePreset[]
export const DEFAULT_PRESET: SchedulePreset = 'rotation-7'

/** The values of a schedule, as stored. */
export const valuesOf = (times: ScheduleTimes, rotation: number): ScheduleValues => ({
  month: numbersOf('month', times.month) ?? [],
  day_of_week: numbersOf('day_of_week', times.day_of_week) ?? [],
  day: numbersOf('day', times.day) ?? [],
  hour: numbersOf('hour', times.hour) ?? [],
  ...{ minute: times.minute, week: times.week, rotation },
})

/** The values that a preset fills in. */
export function presetValues(preset: SchedulePreset): ScheduleValues {
  const { rotation, ...lists } = schedulePresets[preset]
  return valuesOf({ ...lists, minute: '0', week: EVERY }, rotation)
}

/** The schedule of a form, as it is sent. A list without any choice is empty, which is not valid. */
export const timesOf = ({ month, day_of_week, day, hour, minute, week }: Omit<ScheduleValues, 'rotation'>) =>
  ({
    month: listOf('month', month),
    day_of_week: listOf('day_of_week', day_of_week),
    day: listOf('day', day),
    hour: listOf('hour', hour),
    ...{ minute, week },
  }) satisfies ScheduleTimes

/** Whether something is chosen in every list. */
export const isComplete = (values: Readonly<Record<ToggledField, readonly number[]>>): boolean =>
  toggledFields.every((field) => values[field].length > 0)

/** The preset with exactly these values. */
export function presetOf(values: ScheduleValues): SchedulePreset {
  const text = (it: ScheduleValues) => JSON.stringify([timesOf(it), it.rotation])
  return presetIds.find((id) => id !== 'custom' && text(presetValues(id)) === text(values)) ?? 'custom'
}

/** Whether two schedules start at the same times, in any spelling of their lists. */
export const isSameSchedule = (one: ScheduleTimes, other: ScheduleTimes): boolean =>
  scheduleFields.every((field) => String(numbersOf(field, one[field])) === String(numbersOf(field, other[field])))
