import { account, ApiTokenDraft } from '@mainstay/contract/identity/account'
import * as z from 'zod'
import { useCall } from '../../api/use-call'
import { useT } from '../../i18n/use-t'
import { Checkbox } from '../../patterns/form/Checkbox'
import { FormDialog } from '../../patterns/form/FormDialog'
import { Select } from '../../patterns/form/Select'
import { TextField } from '../../patterns/form/TextField'
import { useSession } from '../../session/session'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/overlays/Dialog'
import { CopyableCode } from '../../ui/values/CopyableCode'

const lives = ['7', '30', '90', '365'] as const
const everything = 'everything'
const Form = ApiTokenDraft.pick({ name: true, read_only: true }).extend({
  project: z.string(),
  days: z.enum(lives),
})

interface ApiTokenFormProps {
  onMade: (made: { name: string; token: string }) => void
  onClose: () => void
}

/** Makes a token for programs: what it is for, where it acts, how long it lives. */
export function ApiTokenForm({ onMade, onClose }: ApiTokenFormProps) {
  const t = useT('account')
  const projects = useSession((session) => session.projects)
  const create = useCall(account.createToken, { refresh: [account.tokens], done: onMade })
  const send = ({ name, read_only, project, days }: z.output<typeof Form>) => {
    const expires_at = new Date(Date.now() + Number(days) * 24 * 3600_000).toISOString()
    const project_id = project === everything ? null : project
    return create.run({ body: { name, read_only, project_id, expires_at } }, { isUnscoped: true })
  }
  return (
    <FormDialog
      place="middle"
      title={t('token.add')}
      verb={t('token.add')}
      schema={Form}
      start={{ name: '', read_only: false, project: everything, days: '90' }}
      send={send}
      onClose={onClose}
    >
      <TextField name="name" label={t('token.name')} help={t('token.nameHelp')} autoFocus />
      <Select
        name="project"
        label={t('token.project')}
        items={[
          { id: everything, label: t('token.everything') },
          ...projects.filter(({ enabled }) => enabled).map(({ id, name }) => ({ id, label: name })),
        ]}
      />
      <Select
        name="days"
        label={t('token.life')}
        items={lives.map((days) => ({ id: days, label: t('token.days', { count: Number(days) }) }))}
      />
      <Checkbox name="read_only" help={t('token.readOnlyHelp')}>
        {t('token.readOnly')}
      </Checkbox>
    </FormDialog>
  )
}

/** The token itself, which nobody can tell again. */
export function MadeToken({ name, token, onClose }: { name: string; token: string; onClose: () => void }) {
  const t = useT('account')
  return (
    <Dialog
      isOpen
      isFirm
      title={t('token.made', { name })}
      onClose={onClose}
      footer={
        <Button variant="primary" onPress={onClose}>
          {t('token.done')}
        </Button>
      }
    >
      <p>{t('token.madeText')}</p>
      <p>
        <CopyableCode>{token}</CopyableCode>
      </p>
    </Dialog>
  )
}
