import { useMemo } from 'react'
import { useWatch } from 'react-hook-form'
import type { ScheduleValues } from './schedule-values'

export const scheduleFieldNames = ['month', 'day_of_week', 'day', 'hour', 'minute', 'week', 'rotation'] as const

type Values = [number[], number[], number[], number[], string, string, number]

/** The schedule in the surrounding form. */
export function useScheduleValues(): ScheduleValues {
  const [month, day_of_week, day, hour, minute, week, rotation] = useWatch({ name: scheduleFieldNames }) as Values
  return useMemo(
    () => ({ month, day_of_week, day, hour, minute, week, rotation }),
    [month, day_of_week, day, hour, minute, week, rotation],
  )
}
