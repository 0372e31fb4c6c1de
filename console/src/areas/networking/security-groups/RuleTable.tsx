import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { IconButton } from '../../../ui/IconButton'
import { DeleteIcon } from '../../../ui/icons'
import { Mono } from '../../../ui/values/Mono'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { securityGroupResource } from './resource'
import type { RulesShown } from './RuleList'
import { isAnywhere, portsText, serviceAt, trafficText } from './rule-words'

/** Shows the same rules as `RuleList`, as a table. */
export function RuleTable({ rules, groupNames, marked, onDelete }: RulesShown) {
  const t = useT('networking')
  return (
    <SmallTable
      label={t('rules.title')}
      rows={rules}
      keyOf={({ id }) => id}
      isMarked={({ id }) => marked.has(id)}
      columns={[
        { id: 'number', label: '#', render: (rule) => rules.indexOf(rule) + 1 },
        {
          id: 'protocol',
          label: t('rules.protocol'),
          render: ({ protocol }) => protocol?.toUpperCase() ?? t('rules.any'),
        },
        {
          id: 'ports',
          label: t('rules.ports'),
          render: (rule) => {
            const service = serviceAt(rule.protocol, rule.port_range_min)
            return [portsText(rule, t), rule.port_range_min === rule.port_range_max && service]
              .filter(Boolean)
              .join(' ')
          },
        },
        {
          id: 'remote',
          label: t(rules[0]?.direction === 'egress' ? 'rules.to' : 'rules.from'),
          render: (rule) =>
            rule.remote_group_id !== null ? (
              <Link to={securityGroupResource.paths.view(rule.remote_group_id)}>
                {groupNames.get(rule.remote_group_id) ?? rule.remote_group_id.slice(0, 8)}
              </Link>
            ) : isAnywhere(rule) ? (
              t('rules.anywhere')
            ) : (
              <Mono>{rule.remote_ip_prefix ?? ''}</Mono>
            ),
        },
        { id: 'version', label: t('rules.version'), isWide: true, render: ({ ethertype }) => ethertype },
        ...(onDelete
          ? [
              {
                id: 'delete',
                isAtEnd: true,
                render: (rule: (typeof rules)[number]) => (
                  <IconButton
                    icon={DeleteIcon}
                    size="small"
                    label={t('rules.deleteWhat', { number: rules.indexOf(rule) + 1, what: trafficText(rule, t) })}
                    onPress={() => onDelete(rule)}
                  />
                ),
              },
            ]
          : []),
      ]}
    />
  )
}
