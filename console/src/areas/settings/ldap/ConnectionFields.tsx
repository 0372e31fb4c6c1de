import { usualLdapPorts } from '@mainstay/contract/settings/ldap'
import type { ConnectionSecurity } from '@mainstay/contract/settings/notifications'
import { useT } from '../../../i18n/use-t'
import { TextArea } from '../../../patterns/form/form-fields'
import { useBound } from '../../../patterns/form/use-bound'
import { SecurityAndPort } from '../SecurityAndPort'
import { ldapSecurityTexts } from './ldap-words'

/** Fields for the directory connection: security, port and trusted CA certificates. */
export function ConnectionFields() {
  const t = useT('settings')
  const { value: security } = useBound<ConnectionSecurity>('connection_security')
  return (
    <>
      <SecurityAndPort usual={usualLdapPorts} texts={ldapSecurityTexts} open={t('ldap.open')} />
      {security !== 'none' && (
        <TextArea name="ca_certificate" label={t('ldap.authority')} help={t('ldap.authority.help')} />
      )}
    </>
  )
}
