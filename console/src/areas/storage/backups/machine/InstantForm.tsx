import { useState } from 'react'
import { instanceKind, instances, type Instance } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../../api/use-call'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useParam } from '../../../../nav/use-param'
import { TextField } from '../../../../patterns/form/form-fields'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { InProject } from '../../../../patterns/InProject'
import { Banner } from '../../../../ui/feedback/Banner'
import { InfoIcon } from '../../../../ui/icons'
import { instanceResource } from '../../../compute/instances/resource'
import { proposedName } from '../../snapshots/snapshot-form'
import { instantForm } from '../backup-form'
import { LoadingForm } from '../LoadingForm'
import { PointFields } from '../PointFields'

interface InstantFormProps {
  /** The path of the page over which the form opens; default: the details of the virtual machine. */
  over?: (id: string) => string
}

/** `instances/{id}/recovery-points`: creates recovery points of all volumes of a virtual machine. */
export default function InstantForm({ over = instanceResource.paths.view }: InstantFormProps) {
  const closeTo = over(useParam('id'))
  return (
    <InProject closeTo={closeTo}>
      <Loaded closeTo={closeTo} />
    </InProject>
  )
}

function Loaded({ closeTo }: { closeTo: string }) {
  const t = useT('storage')
  const id = useParam('id')
  const view = useView(instances.view, { id }, { kind: instanceKind })
  if (view.data) return <Form instance={view.data} closeTo={closeTo} />
  return <LoadingForm title={t('backups.addMany')} failed={t('backups.vmLoadFailed')} view={view} closeTo={closeTo} />
}

function Form({ instance, closeTo }: { instance: Instance; closeTo: string }) {
  const t = useT('storage')
  const format = useFormat()
  const { id, name, volumes: disks, project_id: projectId } = instance
  const [start] = useState(() => ({ name: proposedName(name), description: '', full: false }))
  const create = useCall(volumeBackups.createInstant, {
    refresh: [volumeBackups.list, volumes.list, volumes.view, instances.timeline, quotas.view],
  })
  return (
    <FormDialog
      title={t('backups.instantTitle', { name })}
      verb={t('backups.addMany')}
      schema={instantForm}
      start={start}
      send={(body) => create.run({ params: { id }, body })}
      closeTo={closeTo}
      barredBecause={disks.length === 0 ? t('backups.noVolumes') : undefined}
    >
      <Banner tone="idle" icon={InfoIcon}>
        <p>
          {t('backups.instantVolumes', {
            count: disks.length,
            size: format.bytes(disks.reduce((sum, { size }) => sum + size, 0)),
          })}
        </p>
        <p>{t('backups.instantNote')}</p>
      </Banner>
      <TextField name="name" label={t('volumes.name')} autoFocus />
      <PointFields projectId={projectId} />
    </FormDialog>
  )
}
