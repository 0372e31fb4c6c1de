/** What names a directory (LDAP) as the source of a user or a group: `identity_provider`. */
export const LDAP_SOURCE = 'ldap'

/** Whether a directory says what a user or a group is called, and who is in the group. */
export const isOfDirectory = ({ identity_provider }: { identity_provider?: string | null | undefined }): boolean =>
  identity_provider === LDAP_SOURCE
