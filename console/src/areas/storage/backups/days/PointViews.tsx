import { useT } from '../../../../i18n/use-t'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useSearchParam } from '../../../../nav/use-param'
import { SegmentedControl } from '../../../../ui/SegmentedControl'
import { volumeBackupResource } from '../resource'

const views = ['list', 'calendar', 'machines'] as const
export type PointView = (typeof views)[number]

/** The view of the recovery points in the address: `?show=calendar`. */
export function usePointView(): PointView {
  const asked = useSearchParam('show')
  return views.find((view) => view === asked) ?? 'list'
}

/** Switches between the list, the calendar and the virtual machines by day. They keep the filters and the search. */
export function PointViews() {
  const t = useT('storage')
  const go = useAppNavigate()
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
        go(volumeBackupResource.paths.list(), { keepsSearch: true, search: { show, month: undefined, day: undefined } })
      }}
    />
  )
}
