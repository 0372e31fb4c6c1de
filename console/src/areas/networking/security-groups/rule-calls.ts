import { securityGroupRules, type SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import { securityGroups } from '@mainstay/contract/networking/security-groups'

export type Direction = SecurityGroupRule['direction']

/** What changes when rules do. */
export const ruleCalls = [securityGroups.list, securityGroups.view, securityGroupRules.list]
