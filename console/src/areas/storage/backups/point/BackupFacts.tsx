import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useT } from '../../../../i18n/use-t'
import { Facts } from '../../../../patterns/Facts'
import { standardFacts } from '../../../../patterns/resource/standard-facts'
import { useIsAllTenants } from '../../../../session/session'
import { Panel } from '../../../../ui/Panel'
import { Bytes } from '../../../../ui/values/Bytes'
import { Time } from '../../../../ui/values/Time'
import { backupTypeText, consistencyText } from '../backup-words'
import { PointMachine } from '../PointMachine'
import { PointPlan } from '../PointPlan'
import { PointVolume } from '../PointVolume'

/** The properties of a recovery point. */
export function BackupFacts({ point }: { point: VolumeBackup }) {
  const t = useT('storage')
  const patterns = useT('patterns')
  const isAllTenants = useIsAllTenants()
  const { size, stored_size: stored, taken_at: taken, description } = point
  return (
    <Panel title={t('backups.properties')}>
      <Facts
        rows={[
          [t('volumes.one'), <PointVolume key="volume" point={point} />],
          [t('volumes.size'), <Bytes key="size" of={size} />],
          [t('backups.storedSize'), stored === null ? null : <Bytes key="stored" of={stored} />],
          [t('backups.type'), backupTypeText(point, t)],
          [t('backups.taken'), <Time key="taken" at={taken} show="both" />],
          [t('backups.consistency'), consistencyText(point, t)],
          point.server_id !== null && [t('volumes.vm.one'), <PointMachine key="machine" point={point} />],
          [t('backups.plan'), <PointPlan key="plan" point={point} />],
          [t('volumes.policy'), point.storage_policy_name],
          description !== '' && [t('volumes.description'), description],
          ...standardFacts(point, patterns, isAllTenants),
        ]}
      />
    </Panel>
  )
}
