import { useT } from '../../../i18n/use-t'
import { ProjectQuota } from '../../../patterns/ProjectQuota'

interface VolumeQuotaProps {
  /** Whose; the project of the session unless said. */
  projectId?: string | undefined
  addedVolumes?: number | undefined
  addedBytes: number
}

/** What a volume costs of the project's quota, drawn while its size is typed. */
export function VolumeQuota({ projectId, addedVolumes = 0, addedBytes }: VolumeQuotaProps) {
  const t = useT('storage')
  const storage = { quota: 'storage', label: t('volumes.storage'), added: addedBytes } as const
  const volumes = { quota: 'volumes', label: t('volumes.title'), added: addedVolumes } as const
  return <ProjectQuota projectId={projectId} rows={addedVolumes > 0 ? [storage, volumes] : [storage]} />
}
