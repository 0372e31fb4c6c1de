import { lazy, Suspense, useRef, useState, type KeyboardEvent } from 'react'
import { securityGroupRules, type SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { asProblem } from '../../../api/problem'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { notifyError } from '../../../notices/notify-error'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { Button } from '../../../ui/Button'
import { SegmentedControl } from '../../../ui/SegmentedControl'
import { Tabs } from '../../../ui/Tabs'
import { useGroupNames } from '../ports/use-group-names'
import { ruleCalls, type Direction } from './rule-calls'
import { RuleList } from './RuleList'
import { RuleTable } from './RuleTable'
import css from './security-groups.module.css'

const SentenceForm = lazy(() => import('../forms').then((it) => ({ default: it.SentenceForm })))

interface RulesEditorProps {
  group: SecurityGroup
  /** IDs of the rules that determined the result of the last connectivity check. */
  marked: ReadonlySet<string>
}

/** A group's inbound and outbound rules, as sentences or as a table. Rules cannot be edited, only replaced. */
export function RulesEditor({ group, marked }: RulesEditorProps) {
  const t = useT('networking')
  const may = useMay()
  const [direction, setDirection] = useState<Direction>('ingress')
  const [look, setLook] = useState<'sentences' | 'table'>('sentences')
  const [gone, setGone] = useState<SecurityGroupRule>()
  const [fault, setFault] = useState<string>()
  const shell = useT('shell')
  const place = useRef<HTMLDivElement>(null)
  const groupNames = useGroupNames()
  const remove = useCall(securityGroupRules.delete, { refresh: ruleCalls })
  const create = useCall(securityGroupRules.create, { refresh: ruleCalls })
  const rulesOf = (it: Direction) => group.security_group_rules.filter((rule) => rule.direction === it)
  const rules = rulesOf(direction)
  const mayAdd = may(securityGroupRules.create.needs)

  async function takeAway(rule: SecurityGroupRule) {
    setFault(undefined)
    try {
      await remove.run({ params: { id: rule.id } })
      setGone(rule)
      place.current?.focus()
    } catch (thrown) {
      setFault(problemText(asProblem(thrown), shell))
    }
  }

  function bringBack() {
    if (!gone) return
    const { id: _id, project_id: _project, domain_id: _domain, created_at: _at, ...draft } = gone
    setGone(undefined)
    create.run({ body: draft }).catch(notifyError)
  }

  function undo(event: KeyboardEvent) {
    if (event.key !== 'z' || !(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    bringBack()
  }

  const shown = {
    rules,
    groupNames,
    marked,
    ...(may(securityGroupRules.delete.needs) && { onDelete: (rule: SecurityGroupRule) => void takeAway(rule) }),
  }
  return (
    // receives the focus after a deletion, so that it can be undone with the keyboard
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div ref={place} role="group" aria-label={t('rules.title')} tabIndex={-1} className={css.editor} onKeyDown={undo}>
      <div className={css.views}>
        <SegmentedControl
          label={t('rules.look')}
          value={look}
          onChange={setLook}
          items={[
            { id: 'sentences', label: t('rules.sentences') },
            { id: 'table', label: t('rules.table') },
          ]}
        />
      </div>
      <Tabs
        label={t('rules.title')}
        selected={direction}
        onChange={setDirection}
        items={(['ingress', 'egress'] as const).map((id) => ({
          id,
          label: t(id === 'ingress' ? 'rules.inbound' : 'rules.outbound'),
          count: rulesOf(id).length,
        }))}
      >
        {fault !== undefined && <Banner tone="bad">{fault}</Banner>}
        {gone && (
          <Banner tone="idle" action={<Button onPress={bringBack}>{t('rules.bringBack')}</Button>}>
            {t('rules.deleted')}
          </Banner>
        )}
        {rules.length === 0 ? (
          <p className={css.none}>{t(direction === 'ingress' ? 'rules.noneIn' : 'rules.noneOut')}</p>
        ) : look === 'sentences' ? (
          <RuleList {...shown} />
        ) : (
          <RuleTable {...shown} />
        )}
        {mayAdd && (
          <Suspense fallback={<div className={css.adding} aria-busy="true" />}>
            <SentenceForm key={direction} group={group} direction={direction} />
          </Suspense>
        )}
      </Tabs>
    </div>
  )
}
