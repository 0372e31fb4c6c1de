import { countedIn, quotaNames } from '@mainstay/contract/all-quotas'
import { domainQuotas, quotas } from '@mainstay/contract/compute/quotas'
import { projectKind, projects, type Project } from '@mainstay/contract/identity/projects'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { useQuotas } from '../../../patterns/use-quotas'
import { useSession } from '../../../session/session'
import { LimitsForm } from '../quotas/LimitsForm'
import { projectResource } from './resource'

/** `/projects/{id}/set-quotas`: sets the project limits that can be changed here. */
export default function ProjectQuotasForm() {
  const id = useParam('id')
  const { data } = useView(projects.view, { id }, { kind: projectKind })
  return data ? <QuotasForm project={data} /> : null
}

function QuotasForm({ project: { id, name } }: { project: Project }) {
  const t = useT('identity')
  const settable = useSession(({ meta }) => meta?.settable_quotas.of_projects)
  const { data } = useQuotas(id)
  const set = useCall(quotas.set, {
    refresh: [quotas.view, domainQuotas.view],
    done: () => toast(t('quotas.done', { name })),
  })
  if (!data || !settable) return null
  return (
    <LimitsForm
      title={t('quotas.setTitle', { name })}
      names={quotaNames.filter((it) => settable.includes(it))}
      amounts={countedIn(data)}
      belowNote={t('quotas.belowNote')}
      send={(body) => set.run({ params: { id }, body })}
      closeTo={projectResource.paths.below(id, 'quotas')}
    />
  )
}
