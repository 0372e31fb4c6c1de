import { useMemo } from 'react'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { machineRestores } from '@mainstay/contract/protection/machine-restores'
import { volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import { useCall } from '../../../../api/use-call'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useNow } from '../../../../lib/use-now'
import { Checkbox, TextField } from '../../../../patterns/form/form-fields'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { ProjectQuota } from '../../../../patterns/ProjectQuota'
import { Banner } from '../../../../ui/feedback/Banner'
import { volumesWithout, whyNotKnown, whyNotReplaced, whyNotRestorable } from './instant'
import { InstantVolumes } from './InstantVolumes'
import { ReplaceSteps } from './ReplaceSteps'
import { RestoreCheckList } from '../RestoreCheckList'
import { useInstant } from './use-instant'
import { useRestoreChecks } from '../use-restore-checks'

interface ReplaceDialogProps {
  point: VolumeBackup
  machine: Instance
  closeTo: string
}

/** Replaces the volumes of a virtual machine. States what is lost, and asks for the name of the virtual machine. */
export function ReplaceDialog({ point, machine, closeTo }: ReplaceDialogProps) {
  const t = useT('storage')
  const patterns = useT('patterns')
  const format = useFormat()
  const instant = useInstant(point)
  const { points, isLoading } = instant
  const checks = useRestoreChecks(point.id, { isWhole: true })
  const { name } = machine
  const replace = useCall(machineRestores.replaceMachine, {
    refresh: [instances.timeline, volumeBackups.list, volumeBackups.view, volumes.list, quotas.view],
  })
  const schema = useMemo(
    () =>
      z.object({
        keep_current: z.boolean(),
        typed: z.string().refine((typed) => typed === name, t('backups.replace.typedWrong')),
      }),
    [name, t],
  )
  const missing = isLoading || instant.problem ? [] : volumesWithout(points, machine)
  const barredBecause =
    whyNotReplaced(machine, t) ??
    whyNotKnown(instant, t) ??
    whyNotRestorable(points, t) ??
    (checks.hasFailed ? t('backups.barredByCheck') : undefined)
  return (
    <FormDialog
      title={t('backups.replace.title', { name })}
      verb={t('backups.replace.verb')}
      variant="danger"
      place="middle"
      size="normal"
      isWide
      schema={schema}
      start={{ keep_current: true, typed: '' }}
      send={({ keep_current }) => replace.run({ params: { id: point.id }, body: { keep_current } })}
      closeTo={closeTo}
      barredBecause={barredBecause}
      isReady={({ typed }) => typed === name}
    >
      <Loss since={point.taken_at} />
      <ReplaceSteps machine={machine} />
      <InstantVolumes points={points} isLoading={isLoading} />
      {missing.length > 0 && (
        <Banner tone="warn">
          {t('backups.replace.missing', { count: missing.length, volumes: format.list(missing) })}
        </Banner>
      )}
      <ProjectQuota
        projectId={point.project_id}
        rows={[
          { quota: 'storage', label: t('volumes.storage'), added: points.reduce((sum, { size }) => sum + size, 0) },
          { quota: 'volumes', label: t('volumes.title'), added: points.length },
        ]}
      />
      <RestoreCheckList result={checks} />
      <Checkbox name="keep_current" help={t('backups.replace.keepCurrentHelp')}>
        {t('backups.replace.keepCurrent')}
      </Checkbox>
      <TextField name="typed" label={patterns('confirm.type', { text: name })} autoComplete="off" spellCheck="false" />
    </FormDialog>
  )
}

/** What the virtual machine loses: everything that it has written since then. */
function Loss({ since }: { since: string }) {
  const t = useT('storage')
  const format = useFormat()
  const now = useNow()
  return (
    <Banner tone="bad" title={t('backups.replace.lost', { time: format.dateTime(since) })}>
      {t('backups.replace.lostText', { duration: format.duration(now - Date.parse(since)) })}
    </Banner>
  )
}
