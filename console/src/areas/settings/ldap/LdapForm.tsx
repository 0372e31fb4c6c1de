import { useId, useState } from 'react'
import { ldap, LdapChange, type LdapFound, type LdapKind, type LdapSettings } from '@mainstay/contract/settings/ldap'
import type * as z from 'zod'
import { asProblem } from '../../../api/problem'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Checkbox, TextArea, TextField } from '../../../patterns/form/form-fields'
import { FormBody } from '../../../patterns/form/FormBody'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { focusFirstError, placeServerErrors } from '../../../patterns/form/server-errors'
import { useForm } from '../../../patterns/form/use-form'
import { useWatched } from '../../../patterns/form/use-watched'
import { Banner } from '../../../ui/feedback/Banner'
import { Button } from '../../../ui/Button'
import css from '../settings.module.css'
import { ConnectionFields } from './ConnectionFields'
import { KindField } from './KindField'

const DirectoryForm = LdapChange.required()
type Values = z.output<typeof DirectoryForm>

/** An empty password field keeps the saved password. If no directory is used, only the kind is sent. */
function bodyOf({ bind_password: password, ...rest }: Values): LdapChange {
  if (rest.kind === 'none') return { kind: 'none' }
  return { ...rest, ...(password !== '' && { bind_password: password }) }
}

interface LdapFormProps {
  values: LdapSettings
  onSaved: (saved: LdapSettings) => void
}

/** Directory settings with test and save buttons. */
export function LdapForm({ values, onSaved }: LdapFormProps) {
  const patterns = useT('patterns')
  const shell = useT('shell')
  const id = useId()
  const { has_bind_password: hasPassword, ...start } = values
  const saved = { refresh: [ldap.view] }
  const create = useCall(ldap.create, saved)
  const update = useCall(ldap.update, saved)
  const tried = useCall(ldap.test)
  const [outcome, setOutcome] = useState<{ found: LdapFound } | { text: string }>()
  const state = useForm({
    schema: DirectoryForm,
    start: { ...start, bind_password: '' },
    send: (form) => {
      setOutcome(undefined)
      const isNew = values.kind === 'none' && form.kind !== 'none'
      return (isNew ? create : update).run({ body: bodyOf(form) })
    },
    done: onSaved,
  })
  const { form, element } = state
  const showFirstError = () => focusFirstError(element)

  const test = form.handleSubmit(async (body) => {
    setOutcome(undefined)
    try {
      setOutcome({ found: await tried.run({ body: bodyOf(body as Values) }) })
    } catch (thrown) {
      const problem = asProblem(thrown)
      placeServerErrors(problem, form, (name) => name in start || name === 'bind_password')
      setOutcome({ text: problemText(problem, shell) })
      showFirstError()
    }
  }, showFirstError)

  return (
    <FormBody state={state} id={id}>
      <KindField />
      <DirectoryFields hasPassword={hasPassword} />
      {outcome && <Outcome outcome={outcome} />}
      <div className={css.foot}>
        <Button type="submit" variant="primary" isBusy={state.isBusy && (create.isPending || update.isPending)}>
          {patterns('save')}
        </Button>
        <TestButton onPress={() => void test()} isBusy={tried.isPending} />
      </div>
    </FormBody>
  )
}

function TestButton(props: { onPress: () => void; isBusy: boolean }) {
  const t = useT('settings')
  if (useWatched<string>('kind') === 'none') return null
  return (
    <>
      <Button {...props}>{t('ldap.test')}</Button>
      <small>{t('ldap.test.help')}</small>
    </>
  )
}

function Outcome({ outcome }: { outcome: { found: LdapFound } | { text: string } }) {
  const t = useT('settings')
  const format = useFormat()
  if ('text' in outcome) return <Banner tone="bad">{outcome.text}</Banner>
  const { people, groups, names } = outcome.found
  if (people === 0) return <Banner tone="warn">{t('ldap.testedNobody')}</Banner>
  return (
    <Banner tone="ok">
      {t('ldap.tested', { people, groups, names: <bdi key="names">{format.list(names)}</bdi> })}
    </Banner>
  )
}

/** Fields for a directory; renders nothing if no directory is used. */
function DirectoryFields({ hasPassword }: { hasPassword: boolean }) {
  const t = useT('settings')
  const kind = useWatched<LdapKind>('kind')
  const isAdvanced = useWatched<boolean>('advanced')
  if (kind === 'none') return null
  return (
    <>
      <Checkbox name="enabled" help={t('ldap.enabled.help')}>
        {t('ldap.enabled')}
      </Checkbox>
      <fieldset className={css.group}>
        <legend>{t('ldap.connection')}</legend>
        <TextField name="host" label={t('ldap.host')} help={t('ldap.host.help')} isMono />
        <ConnectionFields />
        <TextField name="bind_dn" label={t('ldap.bindDn')} help={t('ldap.bindDn.help')} isMono autoComplete="off" />
        <PasswordField
          name="bind_password"
          label={t('ldap.password')}
          autoComplete="new-password"
          help={hasPassword ? t('ldap.password.kept') : undefined}
        />
      </fieldset>
      <fieldset className={css.group}>
        <legend>{t('ldap.people')}</legend>
        <TextField name="search_base_dn" label={t('ldap.base')} help={t('ldap.base.help')} isMono />
        <Checkbox name="advanced" help={t('ldap.advanced.help')}>
          {t('ldap.advanced')}
        </Checkbox>
        {isAdvanced && (
          <>
            <TextArea name="search_filter" label={t('ldap.filter')} help={t('ldap.filter.help')} />
            <TextField name="user_search_id_attr" label={t('ldap.userId')} help={t('ldap.userId.help')} isMono />
            <TextField name="user_search_login_attr" label={t('ldap.userLogin')} isMono />
            <TextField name="group_search_id_attr" label={t('ldap.groupId')} isMono />
            <TextField name="group_name_attr" label={t('ldap.groupName')} isMono />
          </>
        )}
      </fieldset>
    </>
  )
}
