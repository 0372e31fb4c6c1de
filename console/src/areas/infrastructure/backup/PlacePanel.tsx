import { useState } from 'react'
import { managementBackup, type ManagementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { useLanguage } from '../../../i18n/language'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { Panel } from '../../../ui/Panel'
import { Mono } from '../../../ui/values/Mono'
import css from './backup.module.css'
import { localTime, utcTime } from './hours'
import { PlaceForm } from './PlaceForm'

/** Shows when and where backups are stored: as a form, or as plain values for users who cannot edit them. */
export function PlacePanel({ backup }: { backup: ManagementBackup }) {
  const t = useT('infrastructure')
  const may = useMay()
  // remounts the form with the saved values after each save
  const [saved, setSaved] = useState<{ count: number; values: ManagementBackup }>()
  return (
    <Panel title={t('backup.place')}>
      <div className={css.stack}>
        {backup.on_same_disk && <Banner tone="warn">{t('backup.place.sameDisk')}</Banner>}
        {may(managementBackup.update.needs) ? (
          <PlaceForm
            key={saved?.count ?? 0}
            values={saved?.values ?? backup}
            onSaved={(values) => {
              setSaved({ count: (saved?.count ?? 0) + 1, values })
              toast(t('backup.place.saved'))
            }}
          />
        ) : (
          <PlaceFacts backup={backup} />
        )}
      </div>
    </Panel>
  )
}

function PlaceFacts({ backup: { hour, keep, place } }: { backup: ManagementBackup }) {
  const t = useT('infrastructure')
  const { tag } = useLanguage()
  const where = place?.kind === 's3' ? `s3://${place.bucket}/${place.prefix}` : place?.path
  return (
    <Facts
      rows={[
        [t('backup.place.hour'), t('backup.place.bothTimes', { local: localTime(hour, tag), utc: utcTime(hour, tag) })],
        [t('backup.place.keep'), String(keep)],
        [t('backup.place.kind'), where === undefined ? t('backup.place.none') : <Mono key="where">{where}</Mono>],
        place?.kind === 's3' && [t('backup.place.endpoint'), <Mono key="endpoint">{place.endpoint}</Mono>],
      ]}
    />
  )
}
