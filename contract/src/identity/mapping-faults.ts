/** Why nobody signs in with the claims that a provider has sent. `disabled`: the user, or the provider by now. */
export const mappingFaults = ['no_name', 'bad_name', 'name_taken', 'no_groups', 'unmatched', 'disabled'] as const
export type MappingFault = (typeof mappingFaults)[number]
