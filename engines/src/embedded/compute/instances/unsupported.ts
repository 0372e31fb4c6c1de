import { says, type RuleText } from '@mainstay/contract/core/said'
import type { InstanceAction } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { problemOf } from '@mainstay/contract/core/problems'
import type { InstancesPort } from '../../../ports/compute'
import type { Scope } from '../../../ports/scope'
import { getOwn } from '../../access'
import type { Engine } from '../../engine'

/** Actions that are not supported on a single host. */
export const unsupportedActions: readonly InstanceAction[] = ['setPassword', 'migrate', 'stopMigration', 'evacuate']

type UnsupportedCommands = Pick<InstancesPort, 'setPassword' | 'migrate' | 'stopMigration' | 'evacuate'>

/** Returns the commands that throw `unsupported` if the instance exists, and `not_found` otherwise. */
export function unsupportedCommands({ records }: Engine): UnsupportedCommands {
  const refuse = async (scope: Scope, id: string, why: RuleText): Promise<never> => {
    await records.transaction((tx) => getOwn<Instance>(tx, 'server', scope, id))
    throw problemOf(why)
  }
  const oneNode = says('compute.one_node')
  return {
    setPassword: (scope, id) => refuse(scope, id, says('compute.no_guest_agent')),
    migrate: (scope, id) => refuse(scope, id, oneNode),
    stopMigration: (scope, id) => refuse(scope, id, oneNode),
    evacuate: (scope, id) => refuse(scope, id, oneNode),
  }
}
