import type { ReactNode } from 'react'
import { useT } from '../../../i18n/use-t'
import { IdleIcon, OkIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { VisuallyHidden } from '../../../ui/VisuallyHidden'
import css from './nodes.module.css'

/** Explains what a second host can and cannot do in an installation that runs on one host. */
export function SecondHost() {
  const t = useT('nodes')
  return (
    <div className={css.hints}>
      <Panel title={t('second.title')}>
        <ul className={css.checks}>
          <Ability isPossible title={t('second.monitored')} detail={t('second.monitoredHelp')} />
          <Ability isPossible title={t('second.placed')} detail={t('second.placedHelp')} />
          <Ability title={t('second.machines')} detail={t('second.machinesHelp')} />
          <Ability title={t('second.management')} detail={t('second.managementHelp')} />
        </ul>
      </Panel>
      <Panel title={t('several.title')}>{t('several.text')}</Panel>
    </div>
  )
}

function Ability(props: { isPossible?: boolean; title: string; detail: ReactNode }) {
  const { isPossible = false, title, detail } = props
  const t = useT('nodes')
  const AbilityIcon = isPossible ? OkIcon : IdleIcon
  return (
    <li className={isPossible ? css.can : undefined}>
      <AbilityIcon />
      <div>
        <VisuallyHidden>{t(isPossible ? 'second.possible' : 'second.impossible')} </VisuallyHidden>
        {title}
        <small>{detail}</small>
      </div>
    </li>
  )
}
