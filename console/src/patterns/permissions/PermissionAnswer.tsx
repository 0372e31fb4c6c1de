import type { Check, Explanation } from '@mainstay/contract/identity/explanations'
import type { ReactNode } from 'react'
import { useT, type Translate } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import { Banner } from '../../ui/feedback/Banner'
import { BadIcon, IdleIcon, OkIcon } from '../../ui/icons'
import tones from '../../ui/tone.module.css'
import { CopyButton } from '../../ui/values/CopyButton'
import { StatusBadge } from '../../ui/values/StatusBadge'
import { VisuallyHidden } from '../../ui/VisuallyHidden'
import css from './permissions.module.css'
import { useRoleWords } from './use-role-words'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const outcomeOf = ({ passed }: Check) => (passed === null ? 'unknown' : passed ? 'passed' : 'refused')

/** The label of a check. For rules, it comes from the server. */
function wordsOf(check: Check, said: Explanation, t: Translate<'permissions'>): string {
  if (check.code === 'rule') return check.message
  return t(`check.${check.code}.${outcomeOf(check)}`, { user: said.user.name, project: said.scope.project?.name ?? '' })
}

/** A note below the check. */
function noteOf({ code, data, passed }: Check, { call }: Explanation, t: Translate<'permissions'>): ReactNode {
  if (code === 'permission')
    return t('check.needs', {
      right: <code key="right" dir="ltr">{`${text(data['resource'])}: ${text(data['ability'])}`}</code>,
    })
  if (code === 'rule' && passed === null && call.name.endsWith('.update')) return t('check.rule.inPart')
  return undefined
}

const pictures = { passed: OkIcon, refused: BadIcon, unknown: IdleIcon }
const toneOf = { passed: 'ok', refused: 'bad', unknown: 'idle' } as const

interface PermissionAnswerProps {
  said: Explanation
  /** How to obtain a missing role. */
  remedy?: ReactNode
  /** The users who may make the call. */
  holders?: ReactNode
}

/** The result, with checks in server order, the roles that were considered, and the roles that would allow the call. */
export function PermissionAnswer({ said, remedy, holders }: PermissionAnswerProps) {
  const t = useT('permissions')
  const { allowed, checks, roles, would_allow, scope } = said
  const words = useRoleWords(scope.project?.name ?? '')
  const refusing = checks.filter(({ passed }) => passed === false)
  // rules are the same in every project
  const lacksRight = refusing.some(({ code }) => code === 'permission')
  const needsProject = lacksRight && scope.project === null && scope.kind !== 'system'
  const inPart = checks.filter(({ code, passed }) => code === 'rule' && passed === null)
  const isInPart = allowed && inPart.length > 0
  const title = isInPart ? t('inPart') : allowed ? t('allowed') : t('refused', { count: refusing.length })
  const intro = allowed && t(isInPart ? 'inPart.text' : 'allowed.text', { user: said.user.name })
  const reasons = (isInPart ? inPart : refusing).map((check) => wordsOf(check, said, t))
  const lines = [
    title,
    ...(intro ? [intro] : []),
    ...reasons,
    ...checks.map((check) => `${t(`outcome.${outcomeOf(check)}`)}: ${wordsOf(check, said, t)}`),
  ]
  return (
    <>
      <Banner tone={isInPart ? 'warn' : allowed ? 'ok' : 'bad'} title={title}>
        {intro}
        {reasons.length > 0 && (
          <ul className={css.reasons}>
            {reasons.map((reason, at) => (
              <li key={at}>{reason}</li>
            ))}
          </ul>
        )}
      </Banner>
      <section className={css.part}>
        <h3>{t('checks')}</h3>
        <ol className={css.trace}>
          {checks.map((check, at) => {
            const outcome = outcomeOf(check)
            const Picture = pictures[outcome]
            const note = noteOf(check, said, t)
            return (
              <li key={at} className={classes(css.check, tones[toneOf[outcome]])}>
                <Picture />
                <VisuallyHidden>{t(`outcome.${outcome}`)}: </VisuallyHidden>
                <span className={css.words}>
                  {wordsOf(check, said, t)}
                  {note && <span className={css.note}>{note}</span>}
                </span>
              </li>
            )
          })}
        </ol>
      </section>
      <section className={css.part}>
        <h3>{t('roles')}</h3>
        {roles.length === 0 ? (
          <p className={css.note}>{t('roles.none')}</p>
        ) : (
          <ul className={css.roles}>
            {roles.map((held, at) => (
              <li key={at}>
                <span className={css.words}>
                  {words.role(held.role)}
                  <span className={css.note}>{words.given(held)}</span>
                </span>
                <StatusBadge tone={held.allows ? 'ok' : 'idle'}>
                  {t(held.allows ? 'role.allows' : 'role.doesNot')}
                </StatusBadge>
              </li>
            ))}
          </ul>
        )}
      </section>
      {would_allow.length > 0 && (
        <section className={css.part}>
          <h3>{t('wouldAllow')}</h3>
          <ul className={css.roles}>
            {would_allow.map(({ role, given_in }) => (
              <li key={role}>
                <span className={css.words}>
                  {words.role(role)}
                  <span className={css.note}>{words.place(given_in)}</span>
                </span>
              </li>
            ))}
          </ul>
          {remedy}
        </section>
      )}
      {holders}
      {needsProject && <p className={css.note}>{t('needsProject')}</p>}
      <div>
        <CopyButton value={lines.join('\n')} size="normal">
          {t('copy')}
        </CopyButton>
      </div>
    </>
  )
}
