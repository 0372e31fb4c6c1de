import { useState } from 'react'
import { backupPlans } from '@mainstay/contract/protection/backup-plans'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { InProject } from '../../../patterns/InProject'
import { backupPlanResource } from '../resource'
import { draftOf, newPlan } from './plan-form'
import { PlanForm } from './PlanForm'

const { paths } = backupPlanResource

/** `backup-plans/add`: creates a backup plan. */
export default function PlanAddPage() {
  return (
    <InProject closeTo={paths.list()}>
      <Form />
    </InProject>
  )
}

function Form() {
  const t = useT('protection')
  const [start] = useState(newPlan)
  const create = useCall(backupPlans.create, {
    refresh: [backupPlans.list],
    done: ({ name }) => toast(t('plans.created', { name })),
  })
  return (
    <PlanForm
      title={t('plans.add')}
      verb={t('plans.add')}
      start={start}
      send={(values) => create.run({ body: draftOf(values) })}
      draftAt={paths.add()}
      closeTo={paths.list()}
      // a plan needs volumes before it runs
      doneTo={({ id }) => paths.below(id, 'volumes')}
    />
  )
}
