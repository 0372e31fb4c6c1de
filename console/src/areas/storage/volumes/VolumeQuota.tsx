import { countedIn, quotas } from '@mainstay/contract/compute/quotas'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { QuotaMeter } from '../../../patterns/QuotaMeter'
import { useMay } from '../../../session/may'
import { useSession } from '../../../session/session'
import css from './VolumeQuota.module.css'

interface VolumeQuotaProps {
  /** Whose; the project of the session unless said. */
  projectId?: string | undefined
  addedVolumes?: number
  addedBytes: number
}

/** What a volume costs of the project's quota, drawn while its size is typed. Its room is kept while it loads. */
export function VolumeQuota({ projectId, addedVolumes = 0, addedBytes }: VolumeQuotaProps) {
  const t = useT('storage')
  const format = useFormat()
  const may = useMay()
  const own = useSession(({ meta }) => meta?.scope.project_id)
  const id = projectId ?? own ?? ''
  const isEnabled = id !== '' && may(quotas.view.needs)
  const { data } = useView(quotas.view, { project_id: id }, { isEnabled })
  if (!isEnabled) return null
  const counted = data && countedIn(data)
  return (
    <div className={css.quota} data-rows={addedVolumes > 0 ? 2 : 1}>
      <QuotaMeter
        label={t('volumes.storage')}
        quota={counted?.storage}
        added={Math.max(0, addedBytes)}
        format={format.bytes}
      />
      {addedVolumes > 0 && <QuotaMeter label={t('volumes.title')} quota={counted?.volumes} added={addedVolumes} />}
    </div>
  )
}
