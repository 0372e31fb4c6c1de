import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { MOST_RECYCLE_DAYS, RecycleBinSettings, recycleBinSettings } from '@mainstay/contract/settings/recycle-bin'
import { useT } from '../../../i18n/use-t'
import { OneNumberPart } from '../OneNumberPart'

/** `/settings/recycle-bin`: how long deleted virtual machines and volumes can be restored. */
export default function RecycleBinPart() {
  const t = useT('settings')
  return (
    <OneNumberPart
      id="recycle-bin"
      calls={recycleBinSettings}
      schema={RecycleBinSettings}
      name="days"
      most={MOST_RECYCLE_DAYS}
      refresh={[computeCluster.view]}
      texts={{
        intro: t('recycle-bin.intro'),
        label: t('recycle-bin.days'),
        help: t('recycle-bin.days.help'),
        save: t('recycle-bin.save'),
        saved: t('recycle-bin.saved'),
      }}
      shown={(days) => t('recycle-bin.shown', { days })}
    />
  )
}
