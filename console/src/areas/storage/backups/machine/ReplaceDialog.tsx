import { use, useId, useMemo } from 'react'
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
import { IframeContext, type FormResult } from '../../../../nav/iframe'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { FormBody } from '../../../../patterns/form/FormBody'
import { Checkbox, TextField } from '../../../../patterns/form/form-fields'
import { useForm } from '../../../../patterns/form/use-form'
import { ProjectQuota } from '../../../../patterns/ProjectQuota'
import { Button } from '../../../../ui/Button'
import { Banner } from '../../../../ui/feedback/Banner'
import { Dialog } from '../../../../ui/overlays/Dialog'
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
  const id = useId()
  const go = useAppNavigate()
  const end = use(IframeContext)
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
  const leave = (result: FormResult) =>
    end ? end(result) : go(closeTo, { keepsSearch: true, replace: result === 'done' })
  const state = useForm({
    schema,
    start: { keep_current: true, typed: '' },
    send: ({ keep_current }) => replace.run({ params: { id: point.id }, body: { keep_current } }),
    done: () => leave('done'),
  })
  // the navigation blocker asks for confirmation, but not in a frame
  const close = () => (end ? void state.mayClose().then((may) => may && leave('cancel')) : leave('cancel'))
  const missing = isLoading || instant.problem ? [] : volumesWithout(points, machine)
  const barredBecause =
    whyNotReplaced(machine, t) ??
    whyNotKnown(instant, t) ??
    whyNotRestorable(points, t) ??
    (checks.hasFailed ? t('backups.barredByCheck') : undefined)
  return (
    <Dialog
      isOpen
      isFirm
      size="normal"
      title={t('backups.replace.title', { name })}
      onClose={close}
      footer={
        <>
          <Button onPress={close} isDisabled={state.isBusy}>
            {patterns('cancel')}
          </Button>
          <Button
            variant="danger"
            type="submit"
            form={id}
            isBusy={state.isBusy}
            isDisabled={state.form.watch('typed') !== name}
            disabledBecause={barredBecause}
          >
            {t('backups.replace.verb')}
          </Button>
        </>
      }
    >
      <FormBody state={state} id={id} isBarred={barredBecause !== undefined} isWide>
        {barredBecause !== undefined && !state.isBusy && <Banner tone="warn">{barredBecause}</Banner>}
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
        <TextField
          name="typed"
          label={patterns('confirm.type', { text: name })}
          autoComplete="off"
          spellCheck="false"
        />
      </FormBody>
    </Dialog>
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
