import { GuestPassword, instances } from '@mainstay/contract/compute/instances'
import * as z from 'zod'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { toast } from '../../../../notices/notices'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { PasswordField } from '../../../../patterns/form/PasswordField'
import type { EditProps } from './EditName'
import { whyNot } from '../instance-reasons'

/** Sets the guest's administrator password through the guest agent. The password is not stored. */
export function EditPassword({ instance, closeTo }: EditProps) {
  const t = useT('instance')
  const list = useT('instances')
  const { id, name } = instance
  const set = useCall(instances.setPassword, {
    refresh: [instances.timeline],
    done: () => toast(t('instances.password.done', { name })),
  })
  const schema = z
    .object({ password: GuestPassword, confirm_password: z.string() })
    .refine(({ password, confirm_password }) => password === confirm_password, {
      path: ['confirm_password'],
      message: t('instances.password.differs'),
    })
  return (
    <FormDialog
      title={t('instances.password.title', { name })}
      verb={t('instances.password.verb')}
      schema={schema}
      start={{ password: '', confirm_password: '' }}
      send={({ password }) => set.run({ params: { id }, body: { event: 'setPassword', password } })}
      closeTo={closeTo}
      barredBecause={whyNot('setPassword', instance, list)}
    >
      <p>{t('instances.password.how')}</p>
      <PasswordField
        name="password"
        label={t('instances.password.new')}
        help={t('instances.password.help')}
        autoComplete="new-password"
        checks="confirm_password"
        autoFocus
      />
      <PasswordField name="confirm_password" label={t('instances.password.confirm')} autoComplete="new-password" />
    </FormDialog>
  )
}
