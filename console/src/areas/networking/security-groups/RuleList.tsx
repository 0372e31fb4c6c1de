import type { SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import { useT } from '../../../i18n/use-t'
import { IconButton } from '../../../ui/IconButton'
import { DeleteIcon, WarnIcon } from '../../../ui/icons'
import { RuleSentence } from './RuleSentence'
import { coveredBy, trafficText } from './rule-words'
import css from './security-groups.module.css'

export interface RulesShown {
  rules: readonly SecurityGroupRule[]
  groupNames: ReadonlyMap<string, string>
  marked: ReadonlySet<string>
  /** Omitted if the user is not allowed to delete rules. */
  onDelete?: (rule: SecurityGroupRule) => void
}

/** Lists rules as sentences, and marks rules that another rule makes redundant. */
export function RuleList({ rules, groupNames, marked, onDelete }: RulesShown) {
  const t = useT('networking')
  return (
    <ol className={css.rules} aria-label={t('rules.title')}>
      {rules.map((rule, at) => {
        const other = coveredBy(rule, rules)
        return (
          <li key={rule.id} className={css.rule} data-marked={marked.has(rule.id) || undefined}>
            <span className={css.number}>{at + 1}</span>
            <span className={css.sentence}>
              <span>
                <RuleSentence rule={rule} groupNames={groupNames} />
              </span>
              {rule.description !== '' && <span className={css.dim}>{rule.description}</span>}
              {other && (
                <span className={css.needless}>
                  <WarnIcon /> {t('rules.needless', { number: rules.indexOf(other) + 1 })}
                </span>
              )}
            </span>
            {onDelete && (
              <IconButton
                icon={DeleteIcon}
                size="small"
                label={t('rules.deleteWhat', { number: at + 1, what: trafficText(rule, t) })}
                onPress={() => onDelete(rule)}
              />
            )}
          </li>
        )
      })}
    </ol>
  )
}
