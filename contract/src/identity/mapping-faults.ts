/**
 * Why the claims of a provider do not allow a sign-in. `groups_withheld`: the provider states that there are groups but
 * does not send them. `disabled`: the user, or the provider since then.
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
