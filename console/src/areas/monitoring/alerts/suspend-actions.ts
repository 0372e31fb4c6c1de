import type { Translate } from '../../../i18n/use-t'
import type { RowAction } from '../../../patterns/table/row-action'
import { PauseIcon, StartIcon } from '../../../ui/icons'

interface Suspension {
  suspended: boolean
  suspended_until: string | null
}

const hours = { hour: 1, day: 24, week: 7 * 24 } as const

/** Menu actions to suspend for an hour, a day, a week or until further notice, and to end a suspension. */
export function suspendActions(
  { suspended }: Suspension,
  t: Translate<'alerts'>,
  set: (suspension: Suspension) => unknown,
): RowAction[] {
  if (suspended)
    return [{ label: t('resume'), icon: StartIcon, run: () => void set({ suspended: false, suspended_until: null }) }]
  const until = (count: number) => new Date(Date.now() + count * 3600_000).toISOString()
  return [
    ...(['hour', 'day', 'week'] as const).map((name) => ({
      label: t(`suspend.${name}`),
      icon: PauseIcon,
      run: () => void set({ suspended: true, suspended_until: until(hours[name]) }),
    })),
    {
      label: t('suspend.forever'),
      icon: PauseIcon,
      run: () => void set({ suspended: true, suspended_until: null }),
    },
  ]
}
