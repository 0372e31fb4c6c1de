import { useNavigate } from '@tanstack/react-router'
import { useT } from '../../../../i18n/use-t'
import { useSearchParam } from '../../../../nav/use-param'
import { SegmentedControl } from '../../../../ui/SegmentedControl'

const views = ['list', 'calendar', 'machines'] as const
export type PointView = (typeof views)[number]

/** The view of the recovery points in the address: `?show=calendar`. */
export function usePointView(): PointView {
  const asked = useSearchParam('show')
  return views.find((view) => view === asked) ?? 'list'
}

/** Changes what is shown, in the query of the address. The filters and the search, which are there too, are kept. */
export function useChangeAddress() {
  const navigate = useNavigate()
  return (changes: Readonly<Record<string, string | undefined>>, replace = false) =>
    void navigate({ to: '.', replace, search: (old: object) => ({ ...old, ...changes }) })
}

/** Switches between the list, the calendar and the virtual machines by day. They keep the filters and the search. */
export function PointViews() {
  const t = useT('storage')
  const change = useChangeAddress()
  const labels = {
    list: t('backups.show.list'),
    calendar: t('backups.show.calendar'),
    machines: t('backups.show.machines'),
  }
  return (
    <SegmentedControl
      label={t('backups.show')}
      value={usePointView()}
      items={views.map((id) => ({ id, label: labels[id] }))}
      onChange={(view) => {
        const show = view === 'list' ? undefined : view
        change({ show, month: undefined, day: undefined })
      }}
    />
  )
}
