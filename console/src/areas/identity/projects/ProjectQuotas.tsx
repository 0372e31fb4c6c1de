import { countedIn, quotaNames } from '@mainstay/contract/all-quotas'
import { quotas } from '@mainstay/contract/compute/quotas'
import type { Project } from '@mainstay/contract/identity/projects'
import { problemText } from '../../../api/problem-text'
import { useT } from '../../../i18n/use-t'
import { useQuotas } from '../../../patterns/use-quotas'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'
import { useSession } from '../../../session/session'
import { buttonClass } from '../../../ui/button-class'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { DomainCeilings } from '../quotas/DomainCeilings'
import { QuotaMeters } from '../quotas/QuotaMeters'
import { projectResource } from './resource'

/** A project's limits and usage, and the remaining quotas in its domain. */
export function ProjectQuotas({ project: { id, domain_id } }: { project: Project }) {
  const t = useT('identity')
  const shell = useT('shell')
  const patterns = useT('patterns')
  const may = useMay()
  const isSettable = useSession(({ meta }) => (meta?.settable_quotas.of_projects.length ?? 0) > 0)
  const view = useQuotas(id)
  const { data, problem } = view
  if (problem)
    return (
      <ErrorPanel
        title={patterns('view.loadFailed')}
        why={problemText(problem, shell)}
        id={problem.requestId}
        onRetry={view.reload}
      />
    )
  if (!data) return null
  return (
    <>
      {isSettable && may(quotas.set.needs) && (
        <div>
          <Link
            to={projectResource.paths.below(id, 'set-quotas')}
            keepsSearch
            className={buttonClass({ variant: 'primary' })}
          >
            {t('quotas.set')}
          </Link>
        </div>
      )}
      <QuotaMeters names={quotaNames} amounts={countedIn(data)} />
      <DomainCeilings id={domain_id} note={t('quotas.ofDomainNote')} />
    </>
  )
}
