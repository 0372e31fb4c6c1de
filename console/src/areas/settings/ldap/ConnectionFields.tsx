import { useRef } from 'react'
import { usualLdapPorts } from '@mainstay/contract/settings/ldap'
import { connectionSecurities, type ConnectionSecurity } from '@mainstay/contract/settings/notifications'
import { useT } from '../../../i18n/use-t'
import { TextArea } from '../../../patterns/form/TextArea'
import { useBound } from '../../../patterns/form/use-bound'
import { Banner } from '../../../ui/feedback/Banner'
import { NumberField } from '../../../ui/fields/NumberField'
import { Select } from '../../../ui/fields/Select'
import { ldapSecurityTexts } from './ldap-words'

/** Security, port and authorities: the usual port follows the security until somebody enters another one. */
export function ConnectionFields() {
  const t = useT('settings')
  const security = useBound<ConnectionSecurity>('connection_security')
  const port = useBound<number | null>('port')
  const isPortOwn = useRef(port.value !== usualLdapPorts[security.value])
  return (
    <>
      <Select
        {...security}
        label={t('email.security')}
        items={connectionSecurities.map((one) => ({ id: one, label: t(ldapSecurityTexts[one]) }))}
        onChange={(next) => {
          security.onChange(next)
          if (!isPortOwn.current) port.onChange(usualLdapPorts[next])
        }}
      />
      {security.value === 'none' && <Banner tone="warn">{t('ldap.open')}</Banner>}
      <NumberField
        {...port}
        label={t('email.port')}
        minValue={1}
        maxValue={65_535}
        formatOptions={{ useGrouping: false }}
        onChange={(next) => {
          isPortOwn.current = true
          port.onChange(next)
        }}
      />
      {security.value !== 'none' && (
        <TextArea name="ca_certificate" label={t('ldap.authority')} help={t('ldap.authority.help')} />
      )}
    </>
  )
}
