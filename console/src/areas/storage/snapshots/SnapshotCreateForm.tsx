import { useId, useState } from 'react'
import { quotas } from '@mainstay/contract/compute/quotas'
import { volumeCanBeCaptured } from '@mainstay/contract/storage/snapshot-rules'
import { volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { FormBody } from '../../../patterns/form/FormBody'
import { TextArea, TextField } from '../../../patterns/form/form-fields'
import { useForm } from '../../../patterns/form/use-form'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { useIsAllTenants } from '../../../session/session'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { InfoIcon, SnapshotIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { volumeStatusText } from '../volumes/volume-words'
import { snapshotPaths } from './resource'
import { proposedName, snapshotForm } from './snapshot-form'
import css from './SnapshotCreateForm.module.css'

/** Creates a snapshot of a volume. After each snapshot, the form proposes a new name. */
export function SnapshotCreateForm({ volume }: { volume: Volume }) {
  const t = useT('storage')
  const isAllTenants = useIsAllTenants()
  const [round, setRound] = useState(0)
  return (
    <Panel title={t('snapshots.create')}>
      {isAllTenants ? (
        <p className={css.note}>{t('snapshots.inProject')}</p>
      ) : (
        <Form key={round} volume={volume} isAgain={round > 0} onCreated={() => setRound(round + 1)} />
      )}
    </Panel>
  )
}

interface FormProps {
  volume: Volume
  /**
   * Set if the form follows another one: moves the focus to the name, because the pressed button belonged to the
   * previous form.
   */
  isAgain: boolean
  onCreated: () => void
}

function Form({ volume, isAgain, onCreated }: FormProps) {
  const t = useT('storage')
  const format = useFormat()
  const id = useId()
  const [start] = useState(() => ({ name: proposedName(volume.name), description: '' }))
  const create = useCall(volumeSnapshots.create, {
    refresh: [volumeSnapshots.list, volumes.list, volumes.view, quotas.view],
  })
  const state = useForm({
    schema: snapshotForm,
    start,
    send: (form) => create.run({ body: { volume_id: volume.id, ...form } }),
    done: onCreated,
    // snapshot forms open over this form
    within: snapshotPaths.tab(volume.id),
  })
  const barredBecause = volumeCanBeCaptured(volume)
    ? undefined
    : t('volumes.barred', { status: volumeStatusText(volume.status, t) })
  return (
    <FormBody state={state} id={id}>
      <TextField name="name" label={t('volumes.name')} autoFocus={isAgain} />
      <TextArea name="description" label={t('volumes.description')} isOptional rows={2} />
      {volume.attachments.length > 0 && (
        <Banner tone="idle" icon={InfoIcon}>
          {t('snapshots.inUse')}
        </Banner>
      )}
      <ProjectQuota
        projectId={volume.project_id}
        rows={[{ quota: 'storage', label: t('volumes.storage'), added: volume.size }]}
      />
      <p className={css.note}>{t('snapshots.quota', { size: format.bytes(volume.size) })}</p>
      <div>
        <Button
          variant="primary"
          type="submit"
          icon={SnapshotIcon}
          isBusy={state.isBusy}
          disabledBecause={barredBecause}
        >
          {t('snapshots.create')}
        </Button>
      </div>
    </FormBody>
  )
}
