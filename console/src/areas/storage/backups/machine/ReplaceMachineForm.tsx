import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { volumeBackupKind, volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useCloseTo, useParam } from '../../../../nav/use-param'
import { InProject } from '../../../../patterns/InProject'
import { Button } from '../../../../ui/Button'
import { Dialog } from '../../../../ui/overlays/Dialog'
import { LoadingForm } from '../LoadingForm'
import { ReplaceDialog } from './ReplaceDialog'
import { volumeBackupResource } from '../resource'
import { useCancelForm } from '../use-cancel-form'

interface ReplaceMachineFormProps {
  /** Default: the recovery point in the URL. */
  pointId?: string
  /** The path of the page over which the form opens; default: the recovery point, or the list. */
  closeTo?: string
}

/** `recovery-points/{id}/replace-machine`: replaces the volumes of a virtual machine with those of one moment. */
export default function ReplaceMachineForm({ pointId, closeTo }: ReplaceMachineFormProps) {
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
  const point = useView(volumeBackups.view, { id }, { kind: volumeBackupKind })
  const machineId = point.data?.server_id ?? null
  const machine = useView(
    instances.view,
    { id: machineId ?? '-' },
    { kind: instanceKind, isEnabled: machineId !== null },
  )
  const isGone = machine.isGone || machine.problem?.kind === 'not-found'
  if (point.data && machineId === null) return <Refusal text={t('backups.machine.none')} closeTo={closeTo} />
  if (point.data && isGone) return <Refusal text={t('backups.replace.gone')} closeTo={closeTo} />
  if (point.data && machine.data) return <ReplaceDialog point={point.data} machine={machine.data} closeTo={closeTo} />
  return (
    <LoadingForm
      title={t('backups.replaceMachine')}
      failed={t(point.data ? 'backups.vmLoadFailed' : 'backups.loadFailed')}
      view={point.data ? machine : point}
      closeTo={closeTo}
      place="middle"
    />
  )
}

/** Why there is nothing to replace. */
function Refusal({ text, closeTo }: { text: string; closeTo: string }) {
  const t = useT('storage')
  const patterns = useT('patterns')
  const close = useCancelForm(closeTo)
  return (
    <Dialog
      isOpen
      hasNoCross
      title={t('backups.replaceMachine')}
      onClose={close}
      footer={
        <Button autoFocus onPress={close}>
          {patterns('cancel')}
        </Button>
      }
    >
      <p>{text}</p>
    </Dialog>
  )
}
