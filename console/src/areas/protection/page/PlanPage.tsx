import { backupPlanKind, backupPlans, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam, useTab } from '../../../nav/use-param'
import { ActionMenu } from '../../../patterns/ActionMenu'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { Button } from '../../../ui/Button'
import { Tabs } from '../../../ui/Tabs'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { planStatus } from '../plan-words'
import { backupPlanResource } from '../resource'
import { usePlanActions } from '../use-plan-actions'
import { PlanOverview } from './PlanOverview'
import { PlanVolumes } from './PlanVolumes'

const { paths } = backupPlanResource
const tabs = { overview: PlanOverview, volumes: PlanVolumes }

/** `backup-plans/{id}/{overview|volumes}`: the details of a backup plan. */
export default function PlanPage() {
  const t = useT('protection')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(backupPlans.view, { id }, { kind: backupPlanKind })
  const { runNow, others } = usePlanActions({ deleted: () => go(paths.list()) })
  const { data } = view
  const status = data && planStatus(data, t)
  const run = data && runNow(data)
  const menu = data ? others(data) : []
  return (
    <Page
      title={<bdi>{data?.name ?? t('plans.one')}</bdi>}
      aside={status && <StatusBadge tone={status.tone}>{status.text}</StatusBadge>}
      actions={
        data && (
          <>
            {run && (
              <Button icon={run.icon} disabledBecause={run.disabledBecause} onPress={() => run.run?.()}>
                {run.label}
              </Button>
            )}
            {menu.length > 0 && <ActionMenu label={patterns('table.actionsOf', { name: data.name })} items={menu} />}
          </>
        )
      }
    >
      <ViewContent view={view}>{(plan) => <Content plan={plan} />}</ViewContent>
    </Page>
  )
}

function Content({ plan }: { plan: BackupPlan }) {
  const t = useT('protection')
  const go = useAppNavigate()
  const selected = useTab(tabs)
  const Tab = tabs[selected]
  return (
    <Tabs
      label={t('plans.one')}
      items={[
        { id: 'overview', label: t('plans.overview') },
        { id: 'volumes', label: t('plans.volumes'), count: plan.volumes_count },
      ]}
      selected={selected}
      onChange={(tab) => go(paths.below(plan.id, tab), { replace: true })}
    >
      <Tab plan={plan} />
    </Tabs>
  )
}
