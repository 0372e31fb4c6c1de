import { s3Users, type S3User } from '@mainstay/contract/object-storage/s3-users'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { NumberField } from '../../../patterns/form/form-fields'
import { SizeField } from '../../../patterns/form/SizeField'
import { EVERYWHERE } from './everywhere'

const limit = z.number().int().nullable()
const schema = z.object({ quota: limit, quota_objects: limit })

/** Sets the storage limit for an S3 user. */
export function QuotaForm({ user, onClose }: { user: S3User; onClose: () => void }) {
  const t = useT('objectStorage')
  const update = useCall(s3Users.update, {
    refresh: [s3Users.list],
    done: ({ name }) => toast(t('users.limitSaved', { name })),
  })
  return (
    <FormDialog
      title={t('users.limitOf', { name: user.name })}
      verb={t('users.setLimit')}
      schema={schema}
      start={{ quota: user.quota, quota_objects: user.quota_objects }}
      send={(body) => update.run({ params: { scope: EVERYWHERE, id: user.id }, body })}
      onClose={onClose}
      place="middle"
    >
      <SizeField name="quota" label={t('users.limit')} help={t('users.limitHelp')} isOptional autoFocus />
      <NumberField name="quota_objects" label={t('users.limitObjects')} help={t('users.limitHelp')} isOptional />
    </FormDialog>
  )
}
