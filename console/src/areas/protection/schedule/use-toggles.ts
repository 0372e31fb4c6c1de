import { useMemo } from 'react'
import { scheduleRanges } from '@mainstay/contract/protection/schedules'
import { useT } from '../../../i18n/use-t'
import { formatNumber } from '../../../lib/numbers'
import type { ToggledField } from './schedule-values'
import { localStart, monthName, timeOfDay, weekdayName } from './schedule-words'
import type { Toggle } from './ToggleField'
import { useClock } from './use-clock'
import { zoneName } from '../../../lib/zones'
import { isUtc, offsetAt } from './zone-times'

interface Toggles {
  items: Readonly<Record<ToggledField, readonly Toggle[]>>
  hoursHelp: string
}

const numbersIn = (field: ToggledField): number[] => {
  const [least, most] = scheduleRanges[field]
  return Array.from({ length: most - least + 1 }, (_, index) => least + index)
}

/**
 * The toggles for a schedule in the language of the user. Hours are in the order of the local clock, with UTC beside
 * them.
 */
export function useToggles(): Toggles {
  const t = useT('protection')
  const clock = useClock()
  return useMemo(() => {
    const { tag, zone, at } = clock
    const offset = offsetAt(at, zone)
    const isInUtc = isUtc(zone, at)
    const hourOf = (id: number): Toggle => {
      const utc = t('schedule.inUtc', { time: timeOfDay(id * 60, tag) })
      if (isInUtc) return { id, label: timeOfDay(id * 60, tag), name: utc }
      const label = timeOfDay(localStart(id * 60, offset).minutes, tag)
      return { id, label, detail: utc, name: t('schedule.localAndUtc', { local: label, utc }) }
    }
    const byLocalTime = (a: number, b: number) =>
      localStart(a * 60, offset).minutes - localStart(b * 60, offset).minutes
    return {
      items: {
        month: numbersIn('month').map((id) => ({ id, label: monthName(id, tag, 'short'), name: monthName(id, tag) })),
        day_of_week: numbersIn('day_of_week').map((id) => ({
          ...{ id, label: weekdayName(id, tag, 'short'), name: weekdayName(id, tag) },
        })),
        day: numbersIn('day').map((id) => ({ id, label: formatNumber(id, tag) })),
        hour: numbersIn('hour').toSorted(byLocalTime).map(hourOf),
      },
      hoursHelp: isInUtc ? t('schedule.hoursInUtc') : t('schedule.hoursHelp', { zone: zoneName(zone, tag, at) }),
    }
  }, [t, clock])
}
