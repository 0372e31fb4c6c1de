import { useT } from '../../../i18n/use-t'
import { Checkbox, TextArea } from '../../../patterns/form/form-fields'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import css from './PointFields.module.css'

/** Fields of both forms that create recovery points, below the name. */
export function PointFields({ projectId }: { projectId?: string | undefined }) {
  const t = useT('storage')
  return (
    <>
      <TextArea name="description" label={t('volumes.description')} isOptional rows={2} />
      <Checkbox name="full" help={t('backups.fullHelp')}>
        {t('backups.full')}
      </Checkbox>
      {/* how much a recovery point adds is known only after it has been stored */}
      <ProjectQuota projectId={projectId} rows={[{ quota: 'volumes_backups', label: t('backups.quota'), added: 0 }]} />
      <p className={css.note}>{t('backups.quotaNote')}</p>
    </>
  )
}
