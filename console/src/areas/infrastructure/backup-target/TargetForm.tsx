import { useId } from 'react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import type { BackupTarget } from '@mainstay/contract/storage/backup-target'
import type * as z from 'zod'
import { isDryRun } from '../../../api/dry-run'
import { cancelled } from '../../../api/problem'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { confirm } from '../../../patterns/dialogs/confirm'
import { FormBody } from '../../../patterns/form/FormBody'
import { RadioCards, TextField } from '../../../patterns/form/form-fields'
import { useForm } from '../../../patterns/form/use-form'
import { useWatched } from '../../../patterns/form/use-watched'
import { withFields } from '../../../patterns/form/with-fields'
import { Button } from '../../../ui/Button'
import css from '../backup/backup.module.css'
import { BucketFields } from '../backup/BucketFields'
import { BackupTargetForm, bodyOf, isElsewhere, locationOf, startOf, targetField } from './target-form'

interface TargetFormProps {
  target: BackupTarget
  onSaved: () => void
}

/** Form for choosing where recovery points are stored. The server tests the target before it saves the settings. */
export function TargetForm({ target, onSaved }: TargetFormProps) {
  const t = useT('infrastructure')
  const patterns = useT('patterns')
  const id = useId()
  const save = useCall(computeCluster.update)
  async function send(form: z.output<typeof BackupTargetForm>) {
    const body = bodyOf(form)
    if (!isDryRun() && isElsewhere(target, body)) {
      const isSure = await confirm({
        title: t('target.move'),
        text: t('target.moveText', { location: locationOf(target) }),
        verb: t('target.moveVerb'),
      })
      if (!isSure) throw cancelled()
    }
    return save.run({ body }).catch(withFields(targetField))
  }
  const state = useForm({ schema: BackupTargetForm, start: startOf(target), send, done: onSaved })
  return (
    <FormBody state={state} id={id} isWide>
      <RadioCards
        name="backup.driver"
        label={t('backup.place.kind')}
        isGrid
        items={[
          { id: 'posix', label: t('backup.place.folder'), description: t('backup.place.folder.help') },
          { id: 's3', label: t('backup.place.s3'), description: t('backup.place.s3.help') },
        ]}
      />
      <TargetFields hasSecret={target.has_s3_store_secret_key} />
      <p className={css.note}>{t('target.note')}</p>
      <div>
        <Button type="submit" variant="primary" isBusy={state.isBusy}>
          {patterns('save')}
        </Button>
      </div>
    </FormBody>
  )
}

const BUCKET_NAMES = {
  endpoint: 'backup.s3_endpoint_url',
  region: 'backup.s3_region',
  bucket: 'backup.s3_store_bucket',
  prefix: 'backup.s3_prefix',
  accessKey: 'backup.s3_store_access_key',
  secret: 'backup.s3_store_secret_key',
}

function TargetFields({ hasSecret }: { hasSecret: boolean }) {
  const t = useT('infrastructure')
  const driver = useWatched<'posix' | 's3'>('backup.driver')
  if (driver === 'posix')
    return <TextField name="backup.posix_path" label={t('backup.place.path')} help={t('target.pathHelp')} isMono />
  return <BucketFields names={BUCKET_NAMES} hasSecret={hasSecret} />
}
