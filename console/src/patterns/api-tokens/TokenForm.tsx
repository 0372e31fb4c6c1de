import { ApiTokenDraft } from '@mainstay/contract/identity/account'
import * as z from 'zod'
import { useT } from '../../i18n/use-t'
import { Checkbox, Select, TextField } from '../form/form-fields'
import { FormDialog } from '../form/FormDialog'

const lives = ['7', '30', '90', '365'] as const
const Life = z.object({ days: z.enum(lives) })
const Form = ApiTokenDraft.pick({ name: true, read_only: true }).extend({ project: z.string(), ...Life.shape })

/** Expiry date of a token created now. */
const endAfter = (days: string): string => new Date(Date.now() + Number(days) * 24 * 3600_000).toISOString()

interface TokenFormProps {
  /** Projects that the token can be limited to; the first one is the default. */
  places: { id: string; label: string }[]
  readOnlyHelp: string
  send: (draft: { name: string; read_only: boolean; place: string; expires_at: string }) => Promise<unknown>
  onClose: () => void
}

/** Creates an API token with a name, a scope and a lifetime. */
export function TokenForm({ places, readOnlyHelp, send, onClose }: TokenFormProps) {
  const t = useT('account')
  return (
    <FormDialog
      place="middle"
      title={t('token.add')}
      verb={t('token.add')}
      schema={Form}
      start={{ name: '', read_only: false, project: places[0]?.id ?? '', days: '90' }}
      send={({ name, read_only, project, days }: z.output<typeof Form>) =>
        send({ name, read_only, place: project, expires_at: endAfter(days) })
      }
      onClose={onClose}
    >
      <TextField name="name" label={t('token.name')} help={t('token.nameHelp')} autoFocus />
      <Select name="project" label={t('token.project')} items={places} />
      <LifeField />
      <Checkbox name="read_only" help={readOnlyHelp}>
        {t('token.readOnly')}
      </Checkbox>
    </FormDialog>
  )
}

function LifeField() {
  const t = useT('account')
  const items = lives.map((days) => ({ id: days, label: t('token.days', { count: Number(days) }) }))
  return <Select name="days" label={t('token.life')} items={items} />
}

interface ReplaceTokenFormProps {
  name: string
  send: (expiresAt: string) => Promise<unknown>
  onClose: () => void
}

/** Replaces a token with a new one that has the chosen lifetime. */
export function ReplaceTokenForm({ name, send, onClose }: ReplaceTokenFormProps) {
  const t = useT('account')
  return (
    <FormDialog
      place="middle"
      title={t('token.replaceTitle', { name })}
      verb={t('token.replace')}
      schema={Life}
      start={{ days: '90' }}
      send={({ days }: z.output<typeof Life>) => send(endAfter(days))}
      onClose={onClose}
    >
      <p>{t('token.replaceText')}</p>
      <LifeField />
    </FormDialog>
  )
}
