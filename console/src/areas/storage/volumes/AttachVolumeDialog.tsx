import { useMemo } from 'react'
import { instances } from '@mainstay/contract/compute/instances'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Checkbox } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { InstanceChoice } from './InstanceChoice'

/** Attaches a volume to a virtual machine in the same project. */
export function AttachVolumeDialog({ volume, onClose }: { volume: Volume; onClose: () => void }) {
  const t = useT('storage')
  const attach = useCall(instances.attachVolume, { refresh: [volumes.list, volumes.view, instances.list] })
  const schema = useMemo(
    () =>
      z.object({
        server_id: z.string({ error: () => t('volumes.vm.missing') }),
        delete_on_termination: z.boolean(),
      }),
    [t],
  )
  return (
    <FormDialog
      place="middle"
      title={t('volumes.attachTitle', { name: volume.name })}
      verb={t('volumes.attach')}
      schema={schema}
      start={{ server_id: null as unknown as string, delete_on_termination: false }}
      send={({ server_id: id, delete_on_termination }) =>
        attach.run({ params: { id }, body: { event: 'attachVolume', volume_id: volume.id, delete_on_termination } })
      }
      onClose={onClose}
    >
      <InstanceChoice label={t('volumes.vm.one')} projectId={volume.project_id} />
      <Checkbox name="delete_on_termination" help={t('volumes.deleteWithHelp')}>
        {t('volumes.deleteWith')}
      </Checkbox>
    </FormDialog>
  )
}
