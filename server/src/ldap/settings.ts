import { X509Certificate } from 'node:crypto'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { LdapSettings, ldapDefaults } from '@mainstay/contract/settings/ldap'
import type * as z from 'zod'
import type { Setting } from '../settings/settings'

/** Stored directory settings. The password is kept separately, as the setting's secret. */
export const Directory = LdapSettings.omit({ has_bind_password: true })
export type Directory = z.infer<typeof Directory>

export const directorySetting: Setting<Directory> = { name: 'ldap', shape: Directory }

export const noDirectory: Directory = {
  ...ldapDefaults.none,
  ...{ enabled: false, advanced: false, host: '', ca_certificate: '', bind_dn: '', search_base_dn: '' },
}

/** Whether users are imported from the directory and sign in through it. */
export const isInUse = ({ kind, enabled }: Directory): boolean => kind !== 'none' && enabled

/**
 * Checks the CA certificates in the settings. Throws a `validation` error on the `ca_certificate` field if a
 * certificate is invalid.
 */
export function checkAuthorities({ ca_certificate: pem }: Pick<Directory, 'ca_certificate'>): void {
  if (pem === '') return
  try {
    for (const one of pem.split(/(?=-----BEGIN)/)) new X509Certificate(one)
  } catch {
    throw fieldProblem('ca_certificate', 'settings.not_pem')
  }
}
