import { useMemo } from 'react'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { machineRestores } from '@mainstay/contract/protection/machine-restores'
import { volumeBackupKind, volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../../api/use-call'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useCloseTo, useParam } from '../../../../nav/use-param'
import { TextField } from '../../../../patterns/form/form-fields'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { withFields } from '../../../../patterns/form/with-fields'
import { InProject } from '../../../../patterns/InProject'
import { Banner } from '../../../../ui/feedback/Banner'
import { InfoIcon } from '../../../../ui/icons'
import { volumesWithout, whyNotKnown, whyNotRestorable } from './instant'
import { InstantVolumes } from './InstantVolumes'
import { LoadingForm } from '../LoadingForm'
import { machineDraftOf, machineForm, startOfMachine } from './machine-form'
import { MachineFields } from './MachineFields'
import { volumeBackupResource } from '../resource'
import { RestoreCheckList } from '../RestoreCheckList'
import { useInstant } from './use-instant'
import { useOriginal } from './use-original'
import { useRestoreChecks } from '../use-restore-checks'

interface RestoreMachineFormProps {
  /** Default: the recovery point in the URL. */
  pointId?: string
  /** The path of the page over which the form opens; default: the recovery point, or the list. */
  closeTo?: string
}

/** `recovery-points/{id}/restore-machine`: creates a virtual machine from all recovery points of one moment. */
export default function RestoreMachineForm({ pointId, closeTo }: RestoreMachineFormProps) {
  const id = useParam('id')
  const { list, view } = volumeBackupResource.paths
  const usual = useCloseTo(list(), view(id))
  const back = closeTo ?? usual
  return (
    <InProject closeTo={back}>
      <Loaded id={pointId ?? id} closeTo={back} />
    </InProject>
  )
}

function Loaded({ id, closeTo }: { id: string; closeTo: string }) {
  const t = useT('storage')
  const view = useView(volumeBackups.view, { id }, { kind: volumeBackupKind })
  const original = useOriginal(view.data?.server_id ?? null)
  if (view.data && original) return <Form point={view.data} {...original} closeTo={closeTo} />
  return (
    <LoadingForm
      title={t('backups.restoreMachine')}
      failed={t('backups.loadFailed')}
      view={{ ...view, isLoading: true }}
      closeTo={closeTo}
    />
  )
}

interface FormProps {
  point: VolumeBackup
  /** The original virtual machine; null if it no longer exists. */
  machine: Instance | null
  /** Its flavor; null if it is not known or no longer exists. */
  flavor: Flavor | null
  closeTo: string
}

function Form({ point, machine, flavor, closeTo }: FormProps) {
  const t = useT('storage')
  const format = useFormat()
  const instant = useInstant(point)
  const { points, isLoading } = instant
  const checks = useRestoreChecks(point.id, { isWhole: true })
  const schema = useMemo(() => machineForm(t), [t])
  const restore = useCall(machineRestores.restoreMachine, {
    refresh: [instances.list, volumeBackups.list, volumeBackups.view, volumes.list, quotas.view],
  })
  const missing = isLoading || instant.problem ? [] : volumesWithout(points, machine)
  const whyNot =
    point.server_id === null ? t('backups.machine.none') : (whyNotKnown(instant, t) ?? whyNotRestorable(points, t))
  return (
    <FormDialog
      title={t('backups.machine.title', { name: point.server_name ?? point.name })}
      verb={t('backups.machine.verb')}
      size="large"
      schema={schema}
      start={startOfMachine(point, flavor)}
      send={(form) =>
        restore
          .run({ params: { id: point.id }, body: machineDraftOf(form) })
          .catch(withFields((path) => path.split('.')[0] ?? path))
      }
      closeTo={closeTo}
      barredBecause={whyNot ?? (checks.hasFailed ? t('backups.barredByCheck') : undefined)}
    >
      <Banner tone="idle" icon={InfoIcon}>
        {t('backups.machine.originalKept')}
      </Banner>
      <TextField name="name" label={t('volumes.name')} autoFocus />
      <InstantVolumes points={points} isLoading={isLoading} />
      {missing.length > 0 && (
        <Banner tone="warn">
          {t('backups.machine.missing', { count: missing.length, volumes: format.list(missing) })}
        </Banner>
      )}
      <MachineFields points={points} />
      <RestoreCheckList result={checks} />
    </FormDialog>
  )
}
