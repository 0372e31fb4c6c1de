import type { BackupTarget } from '@mainstay/contract/storage/backup-target'
import { useT } from '../../../i18n/use-t'
import { Facts } from '../../../patterns/Facts'
import { Banner } from '../../../ui/feedback/Banner'
import { Panel } from '../../../ui/Panel'
import { Bytes } from '../../../ui/values/Bytes'
import { Mono } from '../../../ui/values/Mono'
import css from '../backup/backup.module.css'
import { locationOf } from './target-form'

/** Shows where recovery points are stored now, and whether that storage works. */
export function TargetState({ target }: { target: BackupTarget }) {
  const t = useT('infrastructure')
  const { driver, s3_endpoint_url: endpoint, free, encrypted, error, on_same_disk: isOnSameDisk } = target
  return (
    <Panel title={t('target.now')}>
      <div className={css.stack}>
        {error !== null && (
          <Banner tone="bad" title={t('target.failed')}>
            <bdi>{error}</bdi>
          </Banner>
        )}
        {isOnSameDisk && <Banner tone="warn">{t('target.sameDisk')}</Banner>}
        <Facts
          rows={[
            [t('backup.place.kind'), t(driver === 's3' ? 'backup.place.s3' : 'backup.place.folder')],
            [t('target.location'), <Mono key="location">{locationOf(target)}</Mono>],
            endpoint !== null && [t('backup.place.endpoint'), <Mono key="endpoint">{endpoint}</Mono>],
            [t('target.free'), free === null ? t('target.unknown') : <Bytes key="free" of={free} />],
            [t('target.encryption'), t(encrypted ? 'target.encrypted' : 'target.notEncrypted')],
          ]}
        />
      </div>
    </Panel>
  )
}
