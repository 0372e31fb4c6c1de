import { securityGroupRules, type SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import { securityGroups } from '@mainstay/contract/networking/security-groups'

export type Direction = SecurityGroupRule['direction']

/** API calls to refresh after a rule has changed. */
export const ruleCalls = [securityGroups.list, securityGroups.view, securityGroupRules.list]
