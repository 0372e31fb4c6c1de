import { countedIn, type QuotaName } from '@mainstay/contract/all-quotas'
import { useSession } from '../session/session'
import css from './ProjectQuota.module.css'
import { QuotaMeter } from './QuotaMeter'
import { useQuotas } from './use-quotas'

export interface QuotaRow {
  quota: QuotaName
  label: string
  /** What the form would add. */
  added: number
}

interface ProjectQuotaProps {
  /** Whose; the project of the session unless said. */
  projectId?: string | undefined
  rows: readonly QuotaRow[]
}

/** What a form costs of the project's quotas, drawn while it is filled in. Its room is kept while they load. */
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
