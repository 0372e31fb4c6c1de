import { useState } from 'react'
import { backupPlanKind, backupPlans, type BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { backupPlanResource } from '../resource'
import { changeOf, startOf } from './plan-form'
import { PlanForm } from './PlanForm'

/** `backup-plans/{id}/edit`: edits a backup plan. */
export default function PlanEditPage() {
  const t = useT('protection')
  const id = useParam('id')
  const view = useView(backupPlans.view, { id }, { kind: backupPlanKind })
  if (view.data) return <Form plan={view.data} />
  return (
    <Page title={t('plans.edit')}>
      <ViewContent view={view}>{() => null}</ViewContent>
    </Page>
  )
}

function Form({ plan: latest }: { plan: BackupPlan }) {
  const t = useT('protection')
  const patterns = useT('patterns')
  // the plan that the form was opened with: a run that starts meanwhile must not count as a change
  const [plan] = useState(latest)
  const [start] = useState(() => startOf(plan))
  const { id, name } = plan
  const update = useCall(backupPlans.update, {
    refresh: [backupPlans.list, backupPlans.view],
    done: (saved) => toast(t('plans.saved', { name: saved.name })),
  })
  const details = backupPlanResource.paths.view(id)
  return (
    <PlanForm
      title={t('plans.editTitle', { name })}
      verb={patterns('save')}
      start={start}
      plan={plan}
      send={(values) => update.run({ params: { id }, body: changeOf(plan, values) })}
      closeTo={details}
      doneTo={() => details}
    />
  )
}
