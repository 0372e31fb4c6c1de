import { ldap, type LdapFault, type LdapImport } from '@mainstay/contract/settings/ldap'
import { problemText } from '../../../api/problem-text'
import { refresh, useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { waitForTask } from '../../../api/wait-for-task'
import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { Button } from '../../../ui/Button'
import { Time } from '../../../ui/values/Time'
import css from '../settings.module.css'

const faultTexts: Readonly<Record<LdapFault, Key<'settings'>>> = {
  name_taken: 'ldap.fault.nameTaken',
  name_ambiguous: 'ldap.fault.nameAmbiguous',
  name_unusable: 'ldap.fault.nameUnusable',
  id_missing: 'ldap.fault.idMissing',
  id_not_unique: 'ldap.fault.idNotUnique',
  too_many_members: 'ldap.fault.tooManyMembers',
  too_many_groups: 'ldap.fault.tooManyGroups',
}

/** The result of the last import, and a button to start another one. */
export function LdapImportPart() {
  const t = useT('settings')
  const shell = useT('shell')
  const may = useMay()
  const { data } = useView(ldap.lastImport, {}, { everyMs: 60_000 })
  const begin = useCall(ldap.import, {
    done: ({ task_id }) => {
      const over = () => void refresh([ldap.lastImport])
      void waitForTask(task_id).then(over, over)
    },
  })
  return (
    <section className={css.group}>
      <h2 className={css.heading}>{t('ldap.import')}</h2>
      {data === null && <p className={css.intro}>{t('ldap.import.never')}</p>}
      {data && <LastImport last={data} />}
      {may(ldap.import.needs) && (
        <div className={css.foot}>
          <Button onPress={() => begin.start({})} isBusy={begin.isPending}>
            {t('ldap.import.now')}
          </Button>
          <small>{t('ldap.import.help')}</small>
        </div>
      )}
      {begin.problem && <Banner tone="bad">{problemText(begin.problem, shell)}</Banner>}
    </section>
  )
}

function LastImport({ last }: { last: LdapImport }) {
  const t = useT('settings')
  const { ended_at, error, people, groups, added, changed, disabled, faults, faults_count: count } = last
  return (
    <>
      <Facts
        rows={[
          [t('ldap.import.at'), <Time key="at" at={ended_at} show="both" />],
          ...(error === null
            ? ([
                [t('ldap.import.found'), t('ldap.import.foundCounts', { people, groups })],
                [t('ldap.import.did'), t('ldap.import.didCounts', { added, changed, disabled })],
              ] satisfies [string, string][])
            : []),
        ]}
      />
      {error !== null && <Banner tone="bad">{t('ldap.import.failed', { reason: error })}</Banner>}
      {count > 0 && (
        <Banner tone="warn">
          {t('ldap.import.faults', { count })}
          <ul className={css.faults}>
            {faults.map(({ kind, name, reason }) => (
              <li key={`${kind} ${name} ${reason}`}>
                <bdi>{name}</bdi>: {t(faultTexts[reason])}
              </li>
            ))}
          </ul>
        </Banner>
      )}
    </>
  )
}
