import type { ServerGroupPolicy } from '@mainstay/contract/compute/server-groups'
import type { Key } from '../../../i18n/catalogues'

interface Words {
  label: Key<'compute'>
  description: Key<'compute'>
}

/** Label and description for each policy. */
export const policyWords: Readonly<Record<ServerGroupPolicy, Words>> = {
  'soft-anti-affinity': {
    label: 'serverGroups.softAntiAffinity',
    description: 'serverGroups.softAntiAffinityHelp',
  },
  'anti-affinity': { label: 'serverGroups.antiAffinity', description: 'serverGroups.antiAffinityHelp' },
  'soft-affinity': { label: 'serverGroups.softAffinity', description: 'serverGroups.softAffinityHelp' },
  affinity: { label: 'serverGroups.affinity', description: 'serverGroups.affinityHelp' },
}
