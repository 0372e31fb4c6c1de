/**
 * Why nobody signs in with the claims that a provider has sent. `groups_withheld`: it says that it has groups and does not
 * send them. `disabled`: the user, or the provider by now.
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
