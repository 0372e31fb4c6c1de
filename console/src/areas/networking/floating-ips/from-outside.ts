import type { FloatingIp, PublishedPort } from '@mainstay/contract/networking/floating-ips'
import { reach, type ReachAnswer, type ReachStep } from '@mainstay/contract/networking/reach'
import { securityGroupRules } from '@mainstay/contract/networking/security-group-rules'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { useMay } from '../../../session/may'
import { useGroupNames } from '../ports/use-group-names'
import { OUTSIDE } from '../reach/outside'
import { decidingKinds, missingRuleOf } from '../reach/reach-words'
import { ruleCalls } from '../security-groups/rule-calls'
import { trafficText } from '../security-groups/rule-words'

type AtPort = Pick<PublishedPort, 'port' | 'protocol'>

/**
 * Checks a connection from outside to a port on a floating IP. The check is repeated when an object that could affect
 * the result changes.
 */
export function useFromOutside(floatingIp: FloatingIp, { port, protocol }: AtPort, isNeeded = true) {
  const may = useMay()
  const isEnabled = isNeeded && may(reach.ask.needs)
  const destination = { address: floatingIp.floating_ip_address }
  const body = { source: { address: OUTSIDE }, destination, protocol, port }
  const { data, problem } = useView(reach.ask, {}, { madeOf: decidingKinds, isEnabled, body })
  return { answer: data, isUnknown: !isEnabled || problem !== undefined }
}

export type MissingRule = NonNullable<ReachStep['missing_rule']>

/**
 * Offers the missing rule from a connection check, and adds it. `offer` is null if no rule is missing or the user may
 * not add rules.
 */
export function useMissingRule(answer?: ReachAnswer) {
  const t = useT('networking')
  const may = useMay()
  const groupNames = useGroupNames()
  const create = useCall(securityGroupRules.create, { refresh: [...ruleCalls, reach.ask] })
  const rule = answer && may(securityGroupRules.create.needs) ? missingRuleOf(answer) : null
  const group = rule ? groupNames.get(rule.security_group_id) : undefined
  return {
    isPending: create.isPending,
    offer:
      rule && group !== undefined
        ? { rule, group, what: trafficText({ ...rule, remote_ip_prefix: null, remote_group_id: null }, t) }
        : null,
    add: async (added: MissingRule) => {
      await create.run({ body: added })
      toast(t('published.ruleAdded', { group: groupNames.get(added.security_group_id) ?? '' }))
    },
  }
}
