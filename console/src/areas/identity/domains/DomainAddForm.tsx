import { DomainDraft, domains } from '@mainstay/contract/identity/domains'
import { NewPassword } from '@mainstay/contract/identity/password-rules'
import { LoginName } from '@mainstay/contract/identity/tenancy-names'
import { users } from '@mainstay/contract/identity/users'
import { useRef } from 'react'
import * as z from 'zod'
import { asProblem, CallProblem } from '../../../api/problem'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Checkbox, TextField } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useWatched } from '../../../patterns/form/use-watched'
import { TypedPassword } from '../users/TypedPassword'
import { domainResource } from './resource'

function DomainFields() {
  const t = useT('identity')
  return (
    <>
      <TextField name="name" label={t('domains.name')} autoFocus />
      <TextField name="description" label={t('domains.description')} isOptional />
    </>
  )
}

const domain = DomainDraft.omit({ enabled: true }).shape
const Form = z.discriminatedUnion('has_administrator', [
  z.object({
    ...domain,
    has_administrator: z.literal(true),
    login: LoginName,
    password: NewPassword,
    must_change_password: z.boolean(),
  }),
  z.object({ ...domain, has_administrator: z.literal(false) }),
])

const empty = {
  name: '',
  description: '',
  has_administrator: true as const,
  login: '',
  password: '',
  must_change_password: true,
}

/** `/domains/add`: creates a domain and its administrator, without whom no one could sign in to the domain. */
export default function DomainAddForm() {
  const t = useT('identity')
  const create = useCall(domains.create, { refresh: [domains.list] })
  const createUser = useCall(users.create, { refresh: [domains.list] })
  const update = useCall(domains.update, { refresh: [domains.list] })
  const made = useRef<string>(undefined)

  /**
   * Keeps the domain if creating its administrator fails. The next attempt then updates the domain and creates only the
   * user.
   */
  async function send({ name, description, ...rest }: z.output<typeof Form>) {
    const body = { name, description }
    if (made.current === undefined) made.current = (await create.run({ body })).id
    else await update.run({ params: { id: made.current }, body })
    if (rest.has_administrator) {
      const { login, password, must_change_password } = rest
      const administrator = {
        name: login,
        password,
        must_change_password,
        domain_permissions: ['domain_admin' as const],
      }
      await createUser.run({ params: { domain_id: made.current }, body: administrator }).catch((thrown: unknown) => {
        // the API calls the username `name`, but this form calls it `login`
        const problem = asProblem(thrown)
        const { name: ofLogin, ...fields } = problem.fields
        if (!ofLogin) throw problem
        throw new CallProblem({ ...problem, message: problem.message, fields: { ...fields, login: ofLogin } })
      })
    }
    toast(t('domains.added', { name }))
  }
  return (
    <FormDialog
      title={t('domains.add')}
      verb={t('domains.add')}
      schema={Form}
      start={empty}
      send={send}
      closeTo={domainResource.paths.list()}
    >
      <DomainFields />
      <Administrator />
    </FormDialog>
  )
}

function Administrator() {
  const t = useT('identity')
  const isWanted = useWatched<boolean>('has_administrator')
  return (
    <>
      <Checkbox name="has_administrator" help={t('domains.administratorHelp')}>
        {t('domains.administrator')}
      </Checkbox>
      {isWanted && (
        <>
          <TextField name="login" label={t('users.login')} help={t('users.loginHelp')} />
          <TypedPassword />
        </>
      )}
    </>
  )
}
