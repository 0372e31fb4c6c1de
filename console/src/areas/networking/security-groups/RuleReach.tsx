import { useWatch } from 'react-hook-form'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { securityGroupKind, securityGroups, type SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import type { Direction } from './rule-calls'
import type { RuleForm } from './rule-form'
import css from './security-groups.module.css'

/** Shows how many ports the rule that is being entered would affect. */
export function RuleReach({ group, direction }: { group: SecurityGroup; direction: Direction }) {
  const t = useT('networking')
  const { remote, group: from } = useWatch() as RuleForm
  const { rows } = useList(securityGroups.list, securityGroupKind, { stateIn: 'memory', limit: MAX_LIMIT })
  const other = rows.find(({ id }) => id === from)
  const own = { name: group.name, count: group.port_count }
  if (direction === 'egress') return <span className={css.dim}>{t('rules.reachOut', own)}</span>
  return (
    <span className={css.dim}>
      {remote === 'group' && other
        ? t('rules.reachGroup', { ...own, other: other.name, others: other.port_count })
        : t('rules.reachIn', own)}
    </span>
  )
}
