/**
 * Reasons why a provider's claims do not allow a sign-in. `groups_withheld`: the provider indicates that the user has
 * groups, but does not send them. `disabled`: the user is disabled, or the provider was disabled during the sign-in.
 */
export const mappingFaults = [
  'no_name',
  'bad_name',
  'name_taken',
  'no_groups',
  'groups_withheld',
  'unmatched',
  'disabled',
] as const
export type MappingFault = (typeof mappingFaults)[number]
