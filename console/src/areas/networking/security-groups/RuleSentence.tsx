import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { Mono } from '../../../ui/values/Mono'
import { securityGroupResource } from './resource'
import { isAnywhere, serviceAt, trafficText, type RuleTerms } from './rule-words'

interface RuleSentenceProps {
  rule: RuleTerms
  groupNames: ReadonlyMap<string, string>
}

/** Describes a rule in a sentence: "Allow inbound traffic from security group bastion: TCP 22 (SSH)". */
export function RuleSentence({ rule, groupNames }: RuleSentenceProps) {
  const t = useT('networking')
  const { protocol, port_range_min: min, port_range_max: max, remote_group_id: group, remote_ip_prefix: cidr } = rule
  const service = min === max ? serviceAt(protocol, min) : undefined
  const what = (
    <>
      <strong>{trafficText(rule, t)}</strong>
      {service !== undefined && ` (${service})`}
    </>
  )
  const isIn = rule.direction === 'ingress'
  if (isAnywhere(rule)) return <>{t(isIn ? 'rules.inAny' : 'rules.outAny', { what, version: rule.ethertype })}</>
  if (group !== null) {
    const name = <Link to={securityGroupResource.paths.view(group)}>{groupNames.get(group) ?? group.slice(0, 8)}</Link>
    return <>{t(isIn ? 'rules.inGroup' : 'rules.outGroup', { what, group: name })}</>
  }
  return <>{t(isIn ? 'rules.inRange' : 'rules.outRange', { what, cidr: <Mono>{cidr ?? ''}</Mono> })}</>
}
