import type { LdapKind } from '@mainstay/contract/settings/ldap'
import type { ConnectionSecurity } from '@mainstay/contract/settings/notifications'
import type { Key } from '../../../i18n/catalogues'

export const kindTexts: Readonly<Record<LdapKind, Key<'settings'>>> = {
  none: 'ldap.kind.none',
  ldap: 'ldap.kind.ldap',
  ad: 'ldap.kind.ad',
}

export const ldapSecurityTexts: Readonly<Record<ConnectionSecurity, Key<'settings'>>> = {
  none: 'ldap.security.none',
  SSL: 'ldap.security.ssl',
  STARTTLS: 'ldap.security.starttls',
}
