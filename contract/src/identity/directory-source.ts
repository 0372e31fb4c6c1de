/** Value of `identity_provider` for users and groups imported from an LDAP directory. */
export const LDAP_SOURCE = 'ldap'

/** Whether name and members of the object are managed by a directory. */
export const isOfDirectory = ({ identity_provider }: { identity_provider?: string | null | undefined }): boolean =>
  identity_provider === LDAP_SOURCE
