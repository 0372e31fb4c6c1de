import type { ConnectionSecurity, MailedSeverity } from '@mainstay/contract/settings/notifications'
import type { Key } from '../../../i18n/catalogues'

export const securityTexts: Readonly<Record<ConnectionSecurity, Key<'settings'>>> = {
  none: 'email.security.none',
  SSL: 'email.security.ssl',
  STARTTLS: 'email.security.starttls',
}

export const severityTexts: Readonly<Record<MailedSeverity, Key<'settings'>>> = {
  error: 'email.severity.error',
  warning: 'email.severity.warning',
  info: 'email.severity.info',
}
