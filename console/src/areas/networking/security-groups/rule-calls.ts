import { securityGroupRules, type SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import { securityGroups } from '@mainstay/contract/networking/security-groups'

export type Direction = SecurityGroupRule['direction']

/** Calls to refresh when rules change. */
export const ruleCalls = [securityGroups.list, securityGroups.view, securityGroupRules.list]
