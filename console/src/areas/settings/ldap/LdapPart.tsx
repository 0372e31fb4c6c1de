import { useState } from 'react'
import { update } from '@mainstay/contract/core/endpoint'
import { ldap, type LdapSettings } from '@mainstay/contract/settings/ldap'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import css from '../settings.module.css'
import { kindTexts, ldapSecurityTexts } from './ldap-words'
import { LdapForm } from './LdapForm'
import { LdapImportPart } from './LdapImportPart'

/** `/settings/ldap`: the directory from which users are imported and with which they sign in. */
export default function LdapPart() {
  const t = useT('settings')
  const shell = useT('shell')
  const may = useMay()
  const { data, problem, reload } = useView(ldap.view, {})
  // remounts the form with the saved values after each save
  const [saved, setSaved] = useState<{ count: number; values: LdapSettings }>()
  const values = saved?.values ?? data
  return (
    <>
      <p className={css.intro}>{t('ldap.intro')}</p>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!values && !problem && <Skeleton width="320px" />}
      {values &&
        (may(update('settings_ldap')) ? (
          <LdapForm
            key={saved?.count ?? 0}
            values={values}
            onSaved={(reply) => {
              setSaved({ count: (saved?.count ?? 0) + 1, values: reply })
              toast(t('ldap.saved'))
            }}
          />
        ) : (
          <LdapFacts values={values} />
        ))}
      {values && values.kind !== 'none' && values.enabled && <LdapImportPart />}
    </>
  )
}

/** Read-only settings, for users who cannot edit them. */
function LdapFacts({ values }: { values: LdapSettings }) {
  const t = useT('settings')
  const { kind, enabled, host, port, connection_security: security, bind_dn, search_base_dn, search_filter } = values
  const or = (text: string) => (text === '' ? t('email.none') : <bdi>{text}</bdi>)
  return (
    <>
      <Banner tone="busy">{t('settings.readOnly')}</Banner>
      <Facts
        rows={[
          [t('ldap.kind'), t(kindTexts[kind])],
          [t('ldap.use'), t(enabled ? 'ldap.use.on' : 'ldap.use.off')],
          [t('ldap.host'), or(host && `${host}:${port}`)],
          [t('email.security'), t(ldapSecurityTexts[security])],
          [t('ldap.bindDn'), or(bind_dn)],
          [t('ldap.base'), or(search_base_dn)],
          [t('ldap.filter'), or(search_filter)],
        ]}
      />
    </>
  )
}
