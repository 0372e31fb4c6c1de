import { backupPlanKind, backupPlans } from '@mainstay/contract/protection/backup-plans'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useT, type Translate } from '../../../i18n/use-t'
import { AddLink } from '../../../patterns/AddLink'
import { Page } from '../../../patterns/Page'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { ResourceTable } from '../../../patterns/table/ResourceTable'
import { useIsAllTenants } from '../../../session/session'
import { planStatuses, planStatusText } from '../plan-words'
import { backupPlanResource } from '../resource'
import { usePlanActions } from '../use-plan-actions'
import { Coverage } from './Coverage'
import { planColumns } from './plan-columns'
import { UnprotectedVolumes } from './UnprotectedVolumes'

const filters = (t: Translate<'protection'>): ListFilter[] => [
  {
    name: 'status',
    label: t('plans.status'),
    options: planStatuses.map((value) => ({ value, label: planStatusText(value, t) })),
  },
  { name: 'name', label: t('plans.name') },
]

/** `backup-plans`: the backup plans, and in a project also how many of its volumes have one. */
export default function PlanListPage() {
  const t = useT('protection')
  const isAllTenants = useIsAllTenants()
  const list = useList(backupPlans.list, backupPlanKind)
  // counts the volumes of one project
  const { data: coverage } = useView(
    backupPlans.coverage,
    {},
    { madeOf: ['backup_plan', 'volume'], isEnabled: !isAllTenants },
  )
  const { runNow, others, bulk } = usePlanActions()
  const add = (
    <AddLink to={backupPlanResource.paths.add()} needs={backupPlans.create.needs}>
      {t('plans.add')}
    </AddLink>
  )
  return (
    <Page title={t('plans.title')} actions={add} isFilled={isAllTenants}>
      {coverage && <Coverage volumes={coverage.volumes} />}
      <ResourceTable
        list={list}
        label={t('plans.many')}
        columns={planColumns}
        actions={(plan) => [runNow(plan) ?? [], others(plan)].flat()}
        filters={filters(t)}
        bulk={bulk}
        empty={t('plans.empty')}
        emptyAction={add}
      />
      {coverage && coverage.unprotected.length > 0 && <UnprotectedVolumes coverage={coverage} />}
    </Page>
  )
}
