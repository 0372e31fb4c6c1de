import { quotas } from '@mainstay/contract/compute/quotas'
import { volumeBackupKind, volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useCloseTo, useParam } from '../../../nav/use-param'
import { notify } from '../../../notices/notices'
import { TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { InProject } from '../../../patterns/InProject'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { Banner } from '../../../ui/feedback/Banner'
import { InfoIcon } from '../../../ui/icons'
import { volumeResource } from '../volumes/resource'
import { restoreDraftOf, restoreForm, startOfRestore } from './backup-form'
import { whyBarred } from './backup-words'
import { LoadingForm } from './LoadingForm'
import { PolicyChoice } from './PolicyChoice'
import { volumeBackupResource } from './resource'
import { RestoreCheckList } from './RestoreCheckList'
import { useRestoreChecks } from './use-restore-checks'

/** Long enough to follow the link in the notification. */
const NOTICE_MS = 10_000

/** `recovery-points/{id}/restore`: restores a recovery point to a new volume. */
export default function RestoreForm() {
  const { list, view } = volumeBackupResource.paths
  const closeTo = useCloseTo(list(), view(useParam('id')))
  return (
    <InProject closeTo={closeTo}>
      <Loaded closeTo={closeTo} />
    </InProject>
  )
}

function Loaded({ closeTo }: { closeTo: string }) {
  const t = useT('storage')
  const id = useParam('id')
  const view = useView(volumeBackups.view, { id }, { kind: volumeBackupKind })
  if (view.data) return <Form point={view.data} closeTo={closeTo} />
  return <LoadingForm title={t('backups.restore')} failed={t('backups.loadFailed')} view={view} closeTo={closeTo} />
}

function Form({ point, closeTo }: { point: VolumeBackup; closeTo: string }) {
  const t = useT('storage')
  const checks = useRestoreChecks(point.id)
  const restore = useCall(volumeBackups.restore, {
    refresh: [volumeBackups.list, volumeBackups.view, volumes.list, quotas.view],
  })
  const tellStarted = (name: string, volumeId: string) =>
    notify({
      type: 'success',
      title: t('backups.restoreStarted', { name }),
      duration: NOTICE_MS,
      actions: [{ label: t('backups.openVolume'), name: 'open', payload: volumeResource.paths.view(volumeId) }],
    })

  return (
    <FormDialog
      title={t('backups.restoreTitle', { name: point.name })}
      verb={t('backups.restoreVerb')}
      schema={restoreForm}
      start={startOfRestore(point)}
      send={async (form) => {
        const { restored_volume_id: id } = await restore.run({
          params: { id: point.id },
          body: restoreDraftOf(form, point),
        })
        tellStarted(form.name, id)
        return { id }
      }}
      closeTo={closeTo}
      barredBecause={whyBarred('restore', point, t) ?? (checks.hasFailed ? t('backups.barredByCheck') : undefined)}
    >
      <Banner tone="idle" icon={InfoIcon}>
        {t('backups.originalKept')}
      </Banner>
      <TextField name="name" label={t('volumes.name')} autoFocus />
      <PolicyChoice own={point.storage_policy_name} />
      <ProjectQuota
        projectId={point.project_id}
        rows={[
          { quota: 'storage', label: t('volumes.storage'), added: point.size },
          { quota: 'volumes', label: t('volumes.title'), added: 1 },
        ]}
      />
      <RestoreCheckList result={checks} />
    </FormDialog>
  )
}
