import { countedIn, type QuotaName } from '@mainstay/contract/all-quotas'
import { useSession } from '../session/session'
import css from './ProjectQuota.module.css'
import { QuotaMeter } from './QuotaMeter'
import { useQuotas } from './use-quotas'

export interface QuotaRow {
  quota: QuotaName
  label: string
  /** Amount that the form would add. */
  added: number
}

interface ProjectQuotaProps {
  /** Default: the session's project. */
  projectId?: string | undefined
  rows: readonly QuotaRow[]
}

/** Live preview of the quota that a form would use. Reserves its space while loading. */
export function ProjectQuota({ projectId, rows }: ProjectQuotaProps) {
  const own = useSession(({ meta }) => meta?.scope.project_id)
  const { data, isEnabled } = useQuotas(projectId ?? own ?? '')
  if (!isEnabled) return null
  const counted = data && countedIn(data)
  return (
    <div className={css.quota} data-rows={rows.length}>
      {rows.map(({ quota, label, added }) => (
        <QuotaMeter key={quota} name={quota} label={label} quota={counted?.[quota]} added={Math.max(0, added)} />
      ))}
    </div>
  )
}
