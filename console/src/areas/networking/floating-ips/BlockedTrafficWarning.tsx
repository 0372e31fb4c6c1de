import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { portKind, ports } from '@mainstay/contract/networking/ports'
import { securityGroupKind, securityGroups } from '@mainstay/contract/networking/security-groups'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { securityGroupResource } from '../security-groups/resource'

/** Warns before a floating IP is assigned if the target's security group rules block all traffic from outside. */
export function BlockedTrafficWarning({ portId, name }: { portId: string; name: string }) {
  const t = useT('networking')
  const may = useMay()
  const isEnabled = may(securityGroups.list.needs)
  const { data: port } = useView(ports.view, { id: portId }, { kind: portKind, isEnabled })
  const groups = useList(securityGroups.list, securityGroupKind, { stateIn: 'memory', limit: MAX_LIMIT, isEnabled })
  if (!port || groups.isLoading || groups.problem) return null
  const own = groups.rows.filter(({ id }) => port.security_groups.includes(id))
  const isUnfiltered = port.security_groups.length === 0 && !port.spoofing_protection
  // a CIDR range may include outside addresses, but a security group cannot
  const letsIn = own.some(({ security_group_rules: rules }) =>
    rules.some((rule) => rule.direction === 'ingress' && rule.ethertype === 'IPv4' && rule.remote_group_id === null),
  )
  const isKnown = own.length === port.security_groups.length
  if (isUnfiltered || letsIn || !isKnown) return null
  const [first] = own
  return (
    <Banner
      tone="warn"
      title={t('floatingIps.nothingIn')}
      action={first && <Link to={securityGroupResource.paths.view(first.id)}>{t('floatingIps.reviewRules')}</Link>}
    >
      {t('floatingIps.nothingInText', { name })}
    </Banner>
  )
}
