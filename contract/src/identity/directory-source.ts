/** Value of `identity_provider` for users and groups imported from an LDAP directory. */
export const LDAP_SOURCE = 'ldap'

/** Whether a directory manages the object's name and members. */
export const isOfDirectory = ({ identity_provider }: { identity_provider?: string | null | undefined }): boolean =>
  identity_provider === LDAP_SOURCE
