import { useRef } from 'react'
import { ldap, ldapKinds, type LdapDefaults, type LdapKind } from '@mainstay/contract/settings/ldap'
import { useFormContext } from 'react-hook-form'
import { call } from '../../../api/call'
import { useT } from '../../../i18n/use-t'
import { useBound } from '../../../patterns/form/use-bound'
import { RadioCards } from '../../../ui/fields/RadioCards'
import { kindTexts } from './ldap-words'

const filled = [
  'search_filter',
  'user_search_id_attr',
  'user_search_login_attr',
  'group_search_id_attr',
  'group_name_attr',
] as const satisfies readonly (keyof LdapDefaults)[]

/** Field for the kind of directory. Choosing one fills in its defaults, except in fields that the user has edited. */
export function KindField() {
  const t = useT('settings')
  const kind = useBound<LdapKind>('kind')
  const { getValues, setValue } = useFormContext()
  const wanted = useRef(kind.value)

  async function choose(next: LdapKind) {
    const before = kind.value
    wanted.current = next
    kind.onChange(next)
    if (next === 'none') return
    const of = (one: LdapKind) => call(ldap.defaults, { params: { kind: one } })
    // if the defaults cannot be loaded, the server fills in empty fields on save
    const defaults = await Promise.all([of(before), of(next)]).catch(() => null)
    // the user may have chosen another kind while the defaults were loading
    if (!defaults || wanted.current !== next) return
    for (const name of filled) {
      const value = getValues(name) as string
      if (value === '' || value === defaults[0][name]) setValue(name, defaults[1][name], { shouldDirty: true })
    }
  }

  return (
    <RadioCards<LdapKind>
      {...kind}
      label={t('ldap.kind')}
      items={ldapKinds.map((id) => ({ id, label: t(kindTexts[id]), description: t(`ldap.kindHelp.${id}`) }))}
      onChange={(next) => void choose(next)}
    />
  )
}
